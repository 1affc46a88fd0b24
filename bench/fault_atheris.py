"""One parser under Atheris, which is guided by coverage: `python -m bench.fault_atheris NAME …`.

The other arguments are those of libFuzzer. It is installed beside the packages of the environment,
once; what is in C (orjson, libyaml) is not instrumented. A text that takes too long or raises
anything but a refusal is a fault: Atheris stops there, and prints it.
"""

import importlib
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Of the environment, and not on its path.
PACKAGES = Path(sys.prefix) / "bench-atheris"
# Pinned: the last one with wheels for Python 3.11.
PACKAGE = "atheris==3.0.0"
INSTALL_S = 600
MODULES = ["toolweave", "markdown_it", "yaml"]


def installed() -> bool:
    """Whether it can be used; installs it where it is not there."""
    if (PACKAGES / "atheris").exists():
        return True
    uv = str(ROOT / "scripts" / "uv")
    command = [uv, "pip", "install", "--quiet", "--python", sys.executable]
    try:
        subprocess.run(
            [*command, "--target", str(PACKAGES), PACKAGE], check=True, timeout=INSTALL_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"atheris cannot be installed: {error}\n")
        return False
    return True


def fuzz(name: str, seconds: float, samples: Path, seed: int) -> tuple[int, int, str]:
    """Fuzz a parser for so long; how many texts, how much coverage, and the fault."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bench.fault_atheris", name),
            *(f"-max_total_time={int(seconds)}", "-max_len=20000", f"-seed={seed}"),
            *("-timeout=60", f"-artifact_prefix={samples}/fault-", "-print_final_stats=1"),
            str(samples),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
        errors="replace",
    )
    texts = re.search(r"number_of_executed_units: (\d+)", done.stdout)
    covered = re.findall(r"cov: (\d+)", done.stdout)
    fault = ""
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if not line.startswith(("#", "INFO"))]
        fault = " ".join(lines)[-600:] or f"exit code {done.returncode}"
    return int(texts[1]) if texts else 0, int(covered[-1]) if covered else 0, fault


def main(name: str) -> None:
    """Instrument the package and fuzz."""
    sys.path.append(str(PACKAGES))
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=MODULES):
        targets = importlib.import_module("bench.fault_fuzz")
    errors = importlib.import_module("toolweave.errors")
    target = {**targets.TARGETS, **targets.TARGETS_OF_CONTROLS}[name]

    def one(data: bytes) -> None:
        # What is no UTF-8 stays what it is: parsers get bytes.
        text = data.decode(errors="surrogateescape")
        began = time.process_time()
        with suppress(errors.ToolweaveError):
            target(text)
        took_s = time.process_time() - began
        if took_s > targets.LONGEST_S:
            raise RuntimeError(f"{took_s:.1f} s of CPU")

    atheris.Setup([sys.argv[0], *sys.argv[2:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1])
