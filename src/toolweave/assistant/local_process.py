"""`python -m toolweave.assistant.local_process FILE NAME`: serve a GGUF model on loopback.

The first line on standard input is the key for requests; when standard input ends, so does it.
"""

import contextlib
import os
import sys
from importlib import import_module
from typing import Any

MAX_THREADS = 4
CONTEXT_TOKENS = 4_096
# Of address space beside the model's file; the packaged model uses 250 MB of memory in all.
MEMORY_BYTES = 4 * 1024**3


def serve(path: str, name: str) -> None:
    """Serve until standard input ends."""
    key = sys.stdin.readline().strip()
    limit_memory(os.path.getsize(path) + MEMORY_BYTES)
    llama = import_module("xllamacpp")
    server = llama.Server(parameters(llama, path, name, key))
    sys.stdout.write(f"listening on {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    # Its threads would be waited for; nothing here is kept.
    os._exit(0)


# Any: an optional package without types.
def parameters(llama: Any, path: str, name: str, key: str) -> Any:
    """Return llama.cpp's parameters: on loopback, with few threads and little memory."""
    chosen = llama.CommonParams()
    chosen.model.path = path
    chosen.model_alias = {name}
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = 0
    chosen.api_keys = [key]
    chosen.ui = False
    chosen.n_ctx = CONTEXT_TOKENS
    chosen.n_parallel = 1
    chosen.n_gpu_layers = 0
    chosen.cache_ram_mib = 0
    chosen.n_threads_http = 2
    for cpu in (chosen.cpuparams, chosen.cpuparams_batch):
        # Threads wait for each other: more than half of the cores is slower on a busy machine.
        cpu.n_threads = max(1, min(MAX_THREADS, (os.cpu_count() or 1) // 2))
        cpu.poll = 0
    return chosen


def limit_memory(size: int) -> None:
    """Limit the address space, where the system supports that."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        resource = import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2])
