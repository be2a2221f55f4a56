"""Tracebacks of foreign code: they are logged with their frames, keep their causes, and hold no secret."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza import Dropped, Settings, reply, say, tool
from cadenza.backstage import Backstage
from cadenza.config.config import LogConfig
from cadenza.errors import CadenzaError
from cadenza.lookups import Lookup
from cadenza.rules import Rule
from cadenza.service.logs import set_up, take_down
from cadenza.targets.memory import MemoryTarget
from cadenza.tracebacks import get_logger, traceback_text
from cadenza.types import Broke, Persona, Post, Receipt, Reply, Scene
