"""Tools about numbers: `add` and `summarize_numbers`."""

import math
import statistics
from typing import Annotated

from pydantic import Field

from toolweave.demo.tool import (
    Answer,
    DemoCall,
    DemoModel,
    DemoTool,
    error_result,
    structured_result,
)


class AddArguments(DemoModel):
    """What `add` takes."""

    a: Annotated[float, Field(description="The first number.")]
    b: Annotated[float, Field(description="The second number.")]


class Sum(DemoModel):
    """What `add` gives."""

    sum: float


async def _add(arguments: AddArguments, _call: DemoCall) -> Answer:
    total = arguments.a + arguments.b
    if not math.isfinite(total):
        return error_result(f"{arguments.a!r} + {arguments.b!r} is too large for a JSON number")
    return structured_result(Sum(sum=total), f"{total:.17g}")


class SummarizeArguments(DemoModel):
    """What `summarize_numbers` takes."""

    numbers: Annotated[
        list[float], Field(description="At least one number.", min_length=1, max_length=100_000)
    ]


class NumbersSummary(DemoModel):
    """What `summarize_numbers` gives."""

    count: Annotated[int, Field(ge=1)]
    sum: float
    minimum: float
    maximum: float
    mean: float
    median: float


async def _summarize_numbers(arguments: SummarizeArguments, _call: DemoCall) -> Answer:
    numbers = arguments.numbers
    # Numbers that fit can have a sum that does not.
    try:
        total = math.fsum(numbers)
    except OverflowError:
        total = math.inf
    median = statistics.median(numbers)
    if not math.isfinite(total) or not math.isfinite(median):
        return error_result("the sum of these is too large for a JSON number")
    return structured_result(
        NumbersSummary(
            count=len(numbers),
            sum=total,
            minimum=min(numbers),
            maximum=max(numbers),
            mean=total / len(numbers),
            median=median,
        )
    )


TOOLS = (
    DemoTool(
        name="add",
        title="Add",
        description="Add two numbers. Returns `sum`.",
        takes=AddArguments,
        gives=Sum,
        run=_add,
    ),
    DemoTool(
        name="summarize_numbers",
        title="Summarise numbers",
        description="Count, sum, minimum, maximum, mean and median of a list of numbers.",
        takes=SummarizeArguments,
        gives=NumbersSummary,
        run=_summarize_numbers,
    ),
)
