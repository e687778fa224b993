import type { LinkEvent } from "../scripts/plan-links.ts";
import type { LinkWorld } from "../world/customers/link-world.ts";
import type { World } from "../world/open-world.ts";
import type { OrderRow, Violation } from "./violation.ts";

/**
 * "The link is checked before money moves": compares what became of pasted links with what a person would say of them. It
 * knows how each link was made, and nothing of how the product reads links.
 */
export function judgeLinks(world: World, { pasted }: LinkWorld, rows: OrderRow[]): Violation[] {
  return pasted.flatMap(({ event, link, response, again }) => {
    const customer = world.customers[event.customer];
    if (!customer || customer.hasLeft || response === null) return [];
    const stored = rows.filter((row) => row.user_id === customer.userId && row.stored_link.includes(event.name));
    const lower = rows.filter(
      (row) => row.user_id === customer.userId && row.stored_link.includes(event.name.toLowerCase()),
    );
    const own = [...stored, ...lower];
    const due = dueOf(event);
    const rules: string[] = [];
    if (response !== due) rules.push(`a link is ${due}`);
    if (own.length !== (response === "placed" ? 1 : 0))
      rules.push("a refused link leaves no order, and a taken one leaves one");
    if (again !== null && again !== "asked about an open order")
      rules.push("an open order for the same link is asked about");
    if (own[0] && own[0].stored_link !== storedOf(event, link))
      rules.push("a link is stored as people or programs need it");
    return rules.map((rule) => ({
      rule,
      subject: event.name,
      world: { event, link, due },
      product: { response, again, own },
    }));
  });
}

/** What the customer must hear. */
function dueOf({ pasted, check, by, agrees }: LinkEvent): string {
  const isWrong = pasted === "wrong kind" || pasted === "wrong network" || pasted === "website";
  if (!isWrong || check === "off") return "placed";
  if (check === "strict") return "refused";
  const isPerson = by === "form" || by === "mass";
  return isPerson && !agrees ? "asked" : "placed";
}

function storedOf({ name, pasted, check, by }: LinkEvent, link: string): string {
  const isPerson = by === "form" || by === "mass";
  if (isPerson && check !== "off" && (pasted === "right" || pasted === "variant"))
    return `https://www.instagram.com/p/${name}/`;
  return link.startsWith("https://") ? link : `https://${link}`;
}
