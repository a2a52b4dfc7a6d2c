"""Defaults are written out on the command line, which loads no model to read them from."""

import inspect
from dataclasses import fields
from typing import get_args

import pytest

import nask
from nask.choices import GridName
from nask.cli import evaluate as evaluate_module
from nask.cli.features import OPTIONS
from nask.cli.main import app
from nask.kernels.parameters import StarParameters
from nask.tuning.grid import GRIDS

COMMANDS = {command.callback.__name__: command.callback for command in app.registered_commands}


@pytest.mark.parametrize(
    ("command", "model"),
    [
        ("gram", nask.NASK),
        ("features", nask.NASKFeatures),
        ("fit", nask.NASKClassifier),
        ("fit", nask.NASKRegressor),
    ],
)
def test_options_default_to_what_the_model_does(command, model):
    own = inspect.signature(model).parameters
    options = inspect.signature(COMMANDS[command]).parameters
    shared = (own.keys() & options.keys()) - {"n_jobs"}
    assert len(shared) >= 8
    assert {n: options[n].default for n in shared} == {n: own[n].default for n in shared}


def test_features_take_the_options_that_the_kernel_of_stars_has():
    kernel = inspect.signature(COMMANDS["gram"]).parameters
    stars = {field.name for field in fields(StarParameters)}
    # The limit of the command line is that of a Gram matrix.
    assert (stars & kernel.keys()) - {"memory_limit"} == OPTIONS


def test_an_evaluation_searches_what_it_says():
    assert nask.NASKClassifier().expansion == evaluate_module.EXPANSION
    assert set(get_args(GridName)) == set(GRIDS)
