"""Run Python as on processors that this machine is not: `portable.py -m pytest tests`.

NumPy, OpenBLAS and numba choose their code by the processor, and each choice rounds differently.
The settings here make them choose as on older processors, one run each, side by side:

- `no-avx512`: NumPy without AVX-512, another kernel of OpenBLAS, numba for any x86-64;
- `baseline`: NumPy without any code of its choice (no AVX2 either), OpenBLAS for processors without
  AVX, numba for any x86-64.

The output of a run follows its settings, when it has ended. The exit code is that of a run that
failed.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile

import numpy as np
from threadpoolctl import threadpool_info

X86 = ("x86_64", "amd64", "i386", "i686")


def list_dispatched() -> list[str]:
    """Return the features that NumPy chooses code by, whether this processor has them or not."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return [*simd.get("found", []), *simd.get("not found", [])]


def is_avx512(feature: str) -> bool:
    """Tell whether a feature, or a group of them, is about AVX-512."""
    return "AVX512" in feature or feature == "X86_V4"


def choose_settings() -> dict[str, dict[str, str]]:
    """Return the environment of each run."""
    features = list_dispatched()
    numba = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    settings = {
        "no-avx512": [f for f in features if is_avx512(f)],
        "baseline": features,
    }
    made = {
        name: {"NPY_DISABLE_CPU_FEATURES": " ".join(off), **numba} for name, off in settings.items()
    }
    if platform.machine().lower() in X86:
        used = {info.get("architecture") for info in threadpool_info()}
        # Haswell and Zen are kernels for AVX2 and alike; SandyBridge has AVX alone, Nehalem none.
        other = "Sandybridge" if used & {"Haswell", "Zen"} else "Haswell"
        made["no-avx512"]["OPENBLAS_CORETYPE"] = other
        made["baseline"]["OPENBLAS_CORETYPE"] = "Nehalem"
    return made


def main(arguments: list[str]) -> int:
    """Run Python with the arguments under all of the settings, side by side."""
    runs = []
    for name, settings in choose_settings().items():
        told = " ".join(f"{key}={value!r}" for key, value in settings.items())
        output = tempfile.TemporaryFile()  # noqa: SIM115  # closed when it has been read
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env={**os.environ, **settings},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        runs.append((f"== {name}: {told}", process, output))
    failed = 0
    for title, process, output in runs:
        failed = process.wait() or failed
        with output:
            output.seek(0)
            print(title, output.read().decode(errors="replace"), sep="\n", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
