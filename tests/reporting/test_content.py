"""What stands in a report beside its parts: what its codes mean."""

from __future__ import annotations

import json

from tests.reporting.scenes import SCENES, scene


def test_every_code_of_a_caution_is_explained_in_place() -> None:
    for made in map(scene, SCENES):
        data = json.loads(made.to_json())
        parts = [data[name] for name in ("answer", "rivals", "learned") if data[name]]
        given = {each["code"] for part in parts for each in part["cautions"]}
        assert set(data["codes"]) == given
        page = made.to_html()
        for code in given:
            assert data["codes"][code]["follows"]
            assert data["codes"][code]["to_do"]
        assert page.count('<details class="why">') == sum(len(p["cautions"]) for p in parts)
