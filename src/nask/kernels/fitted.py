"""The kernel with everything learned: training graphs, prepared once, and what is made of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nask.arrays import Array, Floats, Positions
from nask.engines.contract import Prepared
from nask.engines.pairwise.engine import PairwiseEngine
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.selection import ENGINES, EngineName, prepare
from nask.execution.execution import Execution
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.io.converters.molecule_reading import MoleculeReading, common_reading
from nask.kernels.forms import Form, GaussianForm, distance_unit
from nask.kernels.gram_work import GramWork
from nask.kernels.parameters import GraphKernelParameters
from nask.kernels.stored import StoredGram
from nask.numeric import inverse_root, scale_pairs
from nask.stars.spec import StarSpec
from nask.storage.hashes import content_hash
from nask.storage.window import Window, window_of

Folder = str | os.PathLike[str] | None


@dataclass(frozen=True, eq=False)
class FittedKernel:
    """The kernel between any graphs and the training graphs.

    Parameters
    ----------
    schema : Schema
        Attributes, ranges and categories of the training graphs.
    engine : str
        The name of the engine that computes.
    graphs : Prepared
        The training graphs.
    form : Form
        Hop weights, normalisation, linear or Gaussian.
    unit : float or None
        Mean squared distance between two different training graphs, once it is known; the
        Gaussian form needs it.
    molecules : MoleculeReading or None
        How the training graphs were read, if they are molecules: new ones are read in the same way.
    """

    schema: Schema
    engine: str
    graphs: Prepared
    form: Form
    unit: float | None = None
    molecules: MoleculeReading | None = None

    @classmethod
    def fit(
        cls,
        parameters: GraphKernelParameters,
        graphs: Sequence[AttributedGraph],
        only: Positions | None = None,
    ) -> FittedKernel:
        """Learn the schema of training graphs, encode and prepare them.

        The parameters are those of a kernel or an estimator, and were checked. With ``only``, the
        schema is that of all graphs, and those at these positions are the training graphs.
        """
        schema = parameters.schema_of(graphs)
        # First, since it may refuse a parameter.
        spec = dense_spec(parameters, schema)
        batch, owner = encoded(graphs, schema), type(parameters).__name__
        some = batch if only is None else batch.take(only)
        prepared = prepare(parameters.engine, some, spec, parameters.execution(), owner)
        molecules = common_reading(graphs)
        return cls(schema, *prepared, parameters.form(), molecules=molecules)

    @classmethod
    def of_batch(
        cls,
        parameters: GraphKernelParameters,
        schema: Schema,
        batch: GraphBatch,
        engine: EngineName,
        unit: float | None,
        molecules: MoleculeReading | None = None,
    ) -> FittedKernel:
        """Prepare training graphs that are encoded already, such as those of a model file.

        The unit is the mean squared distance between the graphs that the schema is of.
        """
        spec = dense_spec(parameters, schema)
        prepared = prepare(engine, batch, spec, parameters.execution(), "NASK")
        return cls(schema, *prepared, parameters.form(), unit, molecules)

    @property
    def n_graphs(self) -> int:
        """Number of training graphs."""
        return self.graphs.batch.n_graphs

    def take(self, positions: Positions) -> FittedKernel:
        """The same kernel on some of the training graphs; what was learned stays."""
        return replace(self, graphs=self.graphs.take(positions))

    @cached_property
    def stars(self) -> PairwisePrepared:
        """The stars of the training graphs, one by one, in float64, whatever the engine."""
        if isinstance(self.graphs, PairwisePrepared) and self.graphs.spec.dtype == "float64":
            return self.graphs
        return self._stars(self.graphs.batch, Execution())

    def stars_of(
        self, graphs: Sequence[AttributedGraph], execution: Execution, *, compare: bool = True
    ) -> PairwisePrepared:
        """The stars of graphs, one by one, read with the training schema.

        ``compare=False`` is for graphs whose attributes were compared with those of training.
        """
        return self._stars(encoded(graphs, self.schema, compare), execution)

    def _stars(self, batch: GraphBatch, execution: Execution) -> PairwisePrepared:
        spec = replace(self.graphs.spec, dtype="float64")
        return PairwiseEngine().prepare(batch, spec, execution)

    def prepare(self, graphs: Sequence[AttributedGraph], execution: Execution) -> Prepared:
        """Read graphs with the training schema and prepare them.

        The training graphs themselves, where these are they.
        """
        return self.prepare_batch(encoded(graphs, self.schema), execution)

    def prepare_both(
        self,
        graphs: Sequence[AttributedGraph],
        others: Sequence[AttributedGraph],
        execution: Execution,
    ) -> tuple[Prepared, Prepared]:
        """Prepare two lists of graphs to compare with each other."""
        # Encoded together, so that a category unseen in training has one code in both.
        together = encoded([*graphs, *others], self.schema)
        order = np.arange(together.n_graphs)
        rows, columns = together.take(order[: len(graphs)]), together.take(order[len(graphs) :])
        return self.prepare_batch(rows, execution), self.prepare_batch(columns, execution)

    def prepare_batch(self, batch: GraphBatch, execution: Execution) -> Prepared:
        """Prepare graphs that are encoded already, with dense node features."""
        if batch.same_content(self.graphs.batch):
            return self.graphs
        prepared: Prepared = ENGINES[self.engine].prepare(batch, self.graphs.spec, execution)
        return prepared

    def own(self, graphs: Prepared) -> Array:
        """K(G, G) of the linear kernel."""
        return self.form.own(graphs.hop_self)

    def gram_work(self, rows: Prepared, columns: Prepared) -> GramWork:
        """The linear kernel between two batches, to be computed."""
        form, scales = self.form, None
        if form.normalize:
            sides = (form.raw_self(side.hop_self) for side in (rows, columns))
            row_scale, column_scale = map(inverse_root, sides)
            scales = row_scale, column_scale
        dtype = form.dtype if form.gram == "linear" else rows.spec.dtype
        return GramWork(self.engine, rows, columns, form.hop_weights, scales, dtype)

    def hop_grams(self, rows: Prepared, folder: Folder, execution: Execution) -> Floats:
        """The kernel of each hop with the training graphs, (n_hops, m, n)."""
        each = np.eye(len(self.form.hop_weights))
        hops = GramWork(self.engine, rows, self.graphs, each, None, self.form.dtype)
        return hops.compute(folder, execution)

    def training_gram(self, folder: Folder, execution: Execution) -> tuple[FittedKernel, Floats]:
        """The kernel between the training graphs, and this object with its unit of distance."""
        graphs, measured = self.graphs, self
        linear = self.gram_work(graphs, graphs).compute(folder, execution)
        if self.form.gram == "rbf":
            measured = replace(self, unit=distance_unit(linear, self.own(graphs)))
        return measured, measured.formed(linear, graphs, graphs, folder, execution)

    def gram(
        self, rows: Prepared, columns: Prepared, folder: Folder, execution: Execution
    ) -> Floats:
        """The kernel between two batches: the same object, if it is a batch with itself.

        A result larger than memory goes into a file in the folder.
        """
        linear = self.gram_work(rows, columns).compute(folder, execution)
        return self.formed(linear, rows, columns, folder, execution)

    def gaussian_form(self, rows: Prepared, columns: Prepared) -> GaussianForm:
        """What makes the Gaussian form of the linear kernel between two batches."""
        if self.unit is None:
            raise RuntimeError("The unit of distance is learned from the training Gram matrix.")
        row_own, column_own = self.own(rows), self.own(columns)
        return GaussianForm(row_own, column_own, rows is columns, self.form.scale, self.unit)

    def grams_of_forms(
        self,
        rows: Prepared,
        forms: Sequence[tuple[Form, float | None]],
        execution: Execution,
    ) -> Iterator[Floats]:
        """The kernel between a batch and the training graphs in several forms, from one pass.

        Parameters
        ----------
        rows : Prepared
        forms : sequence of (Form, float or None)
            Each with a weight for every hop of this kernel, and its unit of distance.
        execution : Execution
        """
        hops, graphs = self.hop_grams(rows, None, execution), self.graphs
        for form, unit in forms:
            linear = np.tensordot(form.hop_weights, hops, axes=1)
            if form.normalize:
                sides = (form.raw_self(side.hop_self) for side in (rows, graphs))
                scale_pairs(linear, *map(inverse_root, sides))
            own = replace(self, form=form, unit=unit)
            yield own.formed(linear, rows, graphs, None, execution)

    def formed(
        self,
        linear: Floats,
        rows: Prepared,
        columns: Prepared,
        folder: Folder,
        execution: Execution,
    ) -> Floats:
        """The kernel in its form, from the linear one, which may be overwritten.

        The linear one is in memory, or in a file where it is larger.
        """
        if self.form.gram == "linear":
            return linear
        form, dtype = self.gaussian_form(rows, columns), self.form.dtype
        if not isinstance(linear, np.memmap):
            return form.apply(linear, Window.whole(*linear.shape)).astype(dtype, copy=False)

        def compute(window: Window) -> Floats:
            return form.apply(window_of(linear, window), window).astype(dtype, copy=False)

        # A file of its own: written over the linear one, a tile cut short by a kill would be lost.
        identity = self.gram_work(rows, columns).identity
        stored = StoredGram(
            content_hash(identity, "gaussian", form.scale, form.unit, dtype),
            linear.shape,
            dtype,
            rows is columns,
            compute,
            "Taking the Gaussian",
        )
        return stored.fill(folder, execution)


def encoded(graphs: Sequence[AttributedGraph], schema: Schema, compare: bool = True) -> GraphBatch:
    """Graphs as arrays, read with a schema, with dense node features."""
    return GraphBatch.encode(graphs, schema, compare=compare).with_dense_features()


def dense_spec(parameters: GraphKernelParameters, schema: Schema) -> StarSpec:
    """What to compute; engines compare every number of two nodes, zeros too."""
    spec = parameters.star_spec(schema)
    return replace(spec, nodes=spec.nodes.with_dense_features())
