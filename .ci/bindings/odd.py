"""A FastMCP server whose tools use unusual types that pydantic supports."""

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Optional, Union
from uuid import UUID

from fastmcp import FastMCP
from pydantic import AnyUrl, BaseModel, Field

server = FastMCP("odd types", version="1.0.0", instructions="Types that few servers have.")


class Colour(Enum):
    red = "red"
    dark_red = "dark-red"
    other = ">"


class Level(Enum):
    low = 1
    high = 2


class Circle(BaseModel):
    kind: Literal["circle"] = "circle"
    radius: float = Field(description="Of the circle.", gt=0)


class Square(BaseModel):
    kind: Literal["square"]
    side: float


class Group(BaseModel):
    kind: Literal["group"]
    members: list["Shape"]


Shape = Annotated[Union[Circle, Square, Group], Field(discriminator="kind")]


class Node(BaseModel):
    """A tree."""

    name: str
    parent: Optional["Node"] = None
    children: list["Node"] = []
    attributes: dict[str, "Node"] = {}


class Keywords(BaseModel):
    type: str
    self: int = 0
    gen: bool = False
    fn: Optional[str] = None
    extra: list[str] = []
    model_config = {"extra": "allow"}


class Times(BaseModel):
    at: datetime
    day: date
    id: UUID
    address: AnyUrl


@server.tool
def numbers(a: int, b: float, c: bool, d: Optional[int], e: Optional[int] = 3, f: int | float = 1) -> int:
    """Adds what is a number."""
    return a + int(b) + (d or 0) + (e or 0) + int(f)


@server.tool
def colours(first: Colour, level: Level = Level.low, second: Literal["a", "A", "b c"] = "a") -> list[Colour]:
    return [first]


@server.tool
def shapes(shape: Shape, more: list[Shape] = []) -> Shape:
    """Returns a shape as it is."""
    return shape


@server.tool
def tree(root: Node) -> Node:
    return root


@server.tool
def keywords(value: Keywords) -> Keywords:
    return value


@server.tool
def times(value: Times) -> Times:
    return value


@server.tool
def pairs(pair: tuple[int, str], triples: list[tuple[float, float, float]] = []) -> tuple[int, str]:
    return pair


@server.tool
def either(value: Union[int, str, list[int], Circle, None] = None) -> Union[int, str, list[int], Circle, None]:
    """Returns what it was given.

        indented = "code"

    ```python
    fenced = [1][0]
    ```
    """
    return value


@server.tool
def anything(value: Any, members: dict[str, Any], counts: dict[str, int] = {}) -> dict[str, int]:
    return counts


@server.tool
def nothing() -> None:
    """Returns nothing."""


@server.tool
def maybe(name: str = "") -> Optional[Circle]:
    return Circle(radius=1) if name else None


@server.tool
def money(amount: Decimal = Decimal("1.50")) -> str:
    return str(amount)


@server.tool
def failing(reason: str) -> str:
    raise ValueError(reason)


@server.tool(name="get-user.info/v2", annotations={"readOnlyHint": True})
def user(self_: Annotated[str, Field(alias="self")] = "", type: str = "") -> dict[str, str]:
    return {"type": type}


@server.tool(name="close")
def close_it(type: str) -> bool:
    return True


@server.tool(name="prompts")
def list_prompts(value: int = 1, self: int = 1) -> list[str]:
    return []


@server.tool(name="天気")
def weather(都市: str) -> str:
    return 都市


@server.prompt
def summary(title: str, style: str = "short") -> str:
    """Asks for a summary."""
    return f"Summarize {title}, {style}."


@server.resource("city://{name}/{path*}{?unit}")
def city(name: str, path: str, unit: str = "c") -> str:
    """A city."""
    return f"{name} {path} {unit}"


if __name__ == "__main__":
    server.run(show_banner=False)
