"""Record pycocotools' evaluation of every image: python make_coco.py FOLDER, with pycocotools.

Two made-up detectors on eight images, one without an object. `coco_expected.json` beside the folder
has what COCO's own accumulation gives if an image is the only one.
"""

import contextlib
import io
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def evaluate(truth: COCO, found: COCO, images: list[int]) -> COCOeval:
    with contextlib.redirect_stdout(io.StringIO()):
        evaluator = COCOeval(truth, found, "bbox")
        evaluator.params.imgIds = images
        evaluator.evaluate()
        evaluator.accumulate()
    return evaluator


def take_mean(values: np.ndarray) -> float | None:
    return None if (values < 0).all() else float(values[values > -1].mean())


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(4)
    images = [{"id": number, "width": 200, "height": 200} for number in range(1, 9)]
    categories = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}, {"id": 3, "name": "bird"}]
    objects = []
    for image in images[:-1]:
        for _ in range(int(rng.integers(1, 4))):
            x, y = (int(v) for v in rng.integers(0, 120, 2))
            w, h = (int(v) for v in rng.integers(20, 70, 2))
            objects.append(
                {
                    "id": len(objects) + 1,
                    "image_id": image["id"],
                    "category_id": int(rng.integers(1, 3)),
                    "bbox": [x, y, w, h],
                    "area": w * h,
                    "iscrowd": int(rng.random() < 0.1),
                }
            )
    truth = COCO()
    truth.dataset = {"images": images, "annotations": objects, "categories": categories}
    with contextlib.redirect_stdout(io.StringIO()):
        truth.createIndex()
    expected = {}
    for model, noise in (("small", 14), ("large", 5)):
        boxes = [
            {
                "image_id": each["image_id"],
                "category_id": each["category_id"],
                "bbox": np.round(
                    np.array(each["bbox"]) + rng.normal(0, noise, 4) * [1, 1, 0.5, 0.5], 1
                ).tolist(),
                "score": float(np.round(rng.uniform(0.4, 1), 3)),
            }
            for each in objects
            if rng.random() < 0.9
        ]
        boxes += [
            {
                "image_id": int(rng.integers(1, 9)),
                "category_id": int(rng.integers(1, 4)),
                "bbox": rng.integers(5, 90, 4).astype(float).tolist(),
                "score": float(np.round(rng.uniform(0.1, 0.7), 3)),
            }
            for _ in range(8)
        ]
        with contextlib.redirect_stdout(io.StringIO()):
            found = truth.loadRes(boxes)
        whole = evaluate(truth, found, [image["id"] for image in images])
        with (folder / f"{model}.json").open("w") as file:
            json.dump(whole.evalImgs, file, default=lambda values: values.tolist())
        expected[model] = {}
        for image in images:
            alone = evaluate(truth, found, [image["id"]]).eval
            precision, recall = alone["precision"][:, :, :, 0, 2], alone["recall"][:, :, 0, 2]
            expected[model][image["id"]] = {
                "AP": take_mean(precision),
                "AP50": take_mean(precision[0]),
                "AP75": take_mean(precision[5]),
                "AR": take_mean(recall),
            }
    content = {"pycocotools": version("pycocotools"), "models": expected}
    folder.with_name("coco_expected.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
