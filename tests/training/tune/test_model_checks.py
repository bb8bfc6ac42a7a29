"""A model file depends on the model alone, and skops reads it as its own."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skops.io import dumps, get_untrusted_types, loads

from earnest.training import normalize_archive

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.tile([0, 1], 30)


def fitted():
    shared = RandomForestClassifier(3, random_state=0).fit(X, Y)
    boosted = HistGradientBoostingClassifier(max_iter=3, random_state=0).fit(X, Y)
    scaled = make_pipeline(StandardScaler(), shared).fit(X, Y)
    return {"scaled": scaled, "shared": shared, "boosted": boosted}


def test_two_files_of_one_model_are_the_same_bytes_though_those_of_skops_are_not():
    kept = [fitted(), fitted()]  # both alive, so that no address is used twice
    one, other = (dumps(model) for model in kept)
    assert one != other
    assert normalize_archive(one) == normalize_archive(other)


def test_what_comes_back_predicts_the_same_and_parts_stay_shared():
    model = fitted()
    data = normalize_archive(dumps(model))
    back = loads(data, trusted=get_untrusted_types(data=data))
    for name in model:
        assert (back[name].predict_proba(X) == model[name].predict_proba(X)).all()
    assert back["scaled"][-1] is back["shared"]


def test_no_time_and_no_address_is_left():
    with ZipFile(BytesIO(normalize_archive(dumps(fitted())))) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert max(len(info.filename) for info in archive.infolist()) < 12
