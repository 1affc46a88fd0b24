"""`weather`: a forecast that is made up, always the same for the same city."""

import hashlib
from typing import Annotated, Literal

from pydantic import Field

from toolweave.demo.tool import Answer, DemoCall, DemoModel, DemoTool, structured_result

Sky = Literal["sunny", "cloudy", "rainy", "stormy", "snowy"]

_SKIES: tuple[Sky, ...] = ("sunny", "cloudy", "rainy", "stormy")


class WeatherArguments(DemoModel):
    """What `weather` takes."""

    city: Annotated[str, Field(description="Any name.", min_length=1, max_length=200)]
    days: Annotated[int, Field(description="How many days ahead.", ge=1, le=14)] = 3


class Day(DemoModel):
    """The weather of one day."""

    day: Annotated[int, Field(description="1 is today.", ge=1)]
    sky: Sky
    low_c: int
    high_c: int
    rain_percent: Annotated[int, Field(ge=0, le=100)]


class Forecast(DemoModel):
    """What `weather` gives."""

    city: str
    made_up: Literal[True]
    days: list[Day]


async def _weather(arguments: WeatherArguments, _call: DemoCall) -> Answer:
    days = [_day(arguments.city, number) for number in range(1, arguments.days + 1)]
    lines = [
        f"Day {day.day}: {day.sky}, {day.low_c} to {day.high_c} °C, rain {day.rain_percent} %"
        for day in days
    ]
    return structured_result(
        Forecast(city=arguments.city, made_up=True, days=days),
        f"Weather in {arguments.city} (made up)\n" + "\n".join(lines),
    )


def _day(city: str, number: int) -> Day:
    draw = hashlib.sha256(f"{city.casefold()}/{number}".encode()).digest()
    # The season hangs on the city alone, so that days in a row look like one place.
    season = hashlib.sha256(city.casefold().encode()).digest()[0] % 30 - 5
    low = season + draw[0] % 6 - 3
    sky = "snowy" if low < -1 and draw[2] % 2 else _SKIES[draw[2] % len(_SKIES)]
    return Day(
        day=number,
        sky=sky,
        low_c=low,
        high_c=low + 3 + draw[1] % 9,
        rain_percent=draw[3] % 31 if sky in ("sunny", "cloudy") else 60 + draw[3] % 41,
    )


TOOLS = (
    DemoTool(
        name="weather",
        title="Weather (made up)",
        description="A made-up weather forecast for a city, one to fourteen days. Never real "
        "data: it is computed from the city's name and always the same for it.",
        takes=WeatherArguments,
        gives=Forecast,
        run=_weather,
    ),
)
