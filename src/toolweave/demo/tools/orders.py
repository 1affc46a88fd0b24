"""`make_order`: every shape a schema commonly has, in one realistic tool."""

import hashlib
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Literal

from pydantic import Field

from toolweave.demo.tool import Answer, DemoCall, DemoModel, DemoTool, structured_result

Priority = Literal["low", "normal", "high"]


class PostalAddress(DemoModel):
    """Where the goods go."""

    street: Annotated[str, Field(min_length=1)]
    city: Annotated[str, Field(min_length=1)]
    postcode: str | None = None
    country: Annotated[str, Field(description="ISO 3166-1 alpha-2.", pattern=r"^[A-Z]{2}$")]


class Customer(DemoModel):
    """Who orders."""

    name: Annotated[str, Field(min_length=1)]
    email: Annotated[str | None, Field(json_schema_extra={"format": "email"})] = None
    address: PostalAddress


class Item(DemoModel):
    """One line of the order."""

    sku: Annotated[str, Field(description="For example `AB-1234`.", pattern=r"^[A-Z]{2}-\d{4}$")]
    quantity: Annotated[int, Field(ge=1, le=1000)] = 1
    unit_price: Annotated[float, Field(description="In the order's currency.", ge=0, le=1_000_000)]
    options: Annotated[
        dict[str, str], Field(description="Free choices, such as `colour`: `red`.")
    ] = Field(default_factory=dict[str, str])


class Card(DemoModel):
    """Paid by card."""

    method: Literal["card"]
    last_digits: Annotated[str, Field(description="The last four digits.", pattern=r"^\d{4}$")]


class Invoice(DemoModel):
    """Paid by invoice."""

    method: Literal["invoice"]
    reference: Annotated[str, Field(min_length=1)]
    due_in_days: Annotated[int, Field(ge=0, le=90)] = 30


class OnDelivery(DemoModel):
    """Paid in cash when the goods arrive."""

    method: Literal["on_delivery"]


Payment = Annotated[Card | Invoice | OnDelivery, Field(discriminator="method")]


class OrderArguments(DemoModel):
    """What `make_order` takes."""

    customer: Customer
    items: Annotated[list[Item], Field(description="At least one.", min_length=1, max_length=100)]
    payment: Annotated[Payment, Field(description="How it is paid; `method` says which.")]
    priority: Annotated[Priority, Field(description="How soon it should go out.")] = "normal"
    currency: Annotated[str, Field(description="ISO 4217.", pattern=r"^[A-Z]{3}$")] = "EUR"
    note: Annotated[str | None, Field(description="For the driver.", max_length=500)] = None
    labels: Annotated[dict[str, str | int | bool], Field(description="Your own marks.")] = Field(
        default_factory=dict[str, str | int | bool]
    )


class OrderLine(DemoModel):
    """An item with its price worked out."""

    sku: str
    quantity: int
    total: float


class Order(DemoModel):
    """What `make_order` gives."""

    order_id: Annotated[str, Field(description="The same for the same arguments.")]
    status: Literal["quoted"]
    customer: str
    ship_to: str
    lines: list[OrderLine]
    total: float
    currency: str
    payment: Payment
    priority: Priority
    note: str | None
    labels: dict[str, str | int | bool]


async def _make_order(arguments: OrderArguments, _call: DemoCall) -> Answer:
    digest = hashlib.sha256(arguments.model_dump_json().encode()).hexdigest()
    lines = [
        OrderLine(sku=item.sku, quantity=item.quantity, total=_cents(item))
        for item in arguments.items
    ]
    total = float(sum(Decimal(str(line.total)) for line in lines))
    address = arguments.customer.address
    return structured_result(
        Order(
            order_id=f"ord-{digest[:12]}",
            status="quoted",
            customer=arguments.customer.name,
            ship_to=", ".join(
                part
                for part in (address.street, address.postcode, address.city, address.country)
                if part
            ),
            lines=lines,
            total=total,
            currency=arguments.currency,
            payment=arguments.payment,
            priority=arguments.priority,
            note=arguments.note,
            labels=arguments.labels,
        )
    )


def _cents(item: Item) -> float:
    price = Decimal(str(item.unit_price)) * item.quantity
    return float(price.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


TOOLS = (
    DemoTool(
        name="make_order",
        title="Make an order",
        description="Work out an order from a customer, items and a payment method. Returns the "
        "priced order with an id. A demonstration: nothing is stored, sent or charged.",
        takes=OrderArguments,
        gives=Order,
        run=_make_order,
    ),
)
