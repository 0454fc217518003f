"""Tests of the engine for GPUs, without a GPU: ``make cuda``. Where numba-cuda is missing they are left out."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("numba_cuda") else ["test_*.py"]
