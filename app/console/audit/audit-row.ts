import { cutText } from "#app/cut-text.ts";
import type { AuditNames } from "#app/db/audit-names.server.ts";
import type { AuditSubject } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import type { Part } from "../resource/entry-words.ts";
import type { Resource } from "../resource/resource.ts";
import { type ResourceType, resourceOf } from "../resources/all-resources.ts";

/** An audit entry as a list shows it. */
export type AuditRow = {
  id: number;
  actorId: string;
  actorName: string;
  action: string;
  subjectType: string;
  subjectId: string;
  detail: Record<string, unknown>;
  createdAt: number;
  names: AuditNames;
};

/** The subject id of an entry about many. */
export const SEVERAL_SUBJECTS = "several";
const DELETED = "deleted-";
const NAME_CHARS = 60;

/** Where the page of a subject is, before its id. Null: its own sentence links it, or it has none. */
const PAGES: Record<Exclude<AuditSubject, ResourceType>, string | null> = {
  order: "/admin/orders/",
  service: "/admin/services/",
  provider: "/admin/providers/",
  customer: "/admin/customers/",
  codes: "/admin/codes/",
  tier: "/admin/tiers/",
  conversation: "/admin/support/",
  account: null,
  settings: null,
  email: null,
};
const ANNOUNCEMENT = "announcement ";

export function entryPath(id: number): string {
  return `/admin/audit/${id}`;
}

/** Returns the subject of an entry by its name, with a link to its page. */
export function subjectPart(entry: Pick<AuditRow, "subjectType" | "subjectId" | "detail" | "names">): Part {
  const { subjectType: type, subjectId: id, detail, names } = entry;
  const name = cut(ownValue(names, `${type} ${id}`) ?? null);
  const isDeleted = id.startsWith(DELETED);
  const resource = resourceOf(type);
  if (resource) return resourcePart(resource, name, entry);
  const page = ownValue(PAGES, type) ?? null;
  const to = page === null || isDeleted || id === SEVERAL_SUBJECTS ? null : page + id;
  switch (type) {
    case "order":
      return { text: `order ${id}`, to };
    case "customer":
    case "account":
      return name === null ? { text: "a deleted account", to: null } : { text: name, to };
    case "conversation":
      if (isDeleted) return { text: "the conversation of a deleted account", to: null };
      return { text: name === null ? "a visitor's conversation" : `the conversation with ${name}`, to };
    case "codes":
      return { text: name === null ? `batch ${id}` : `the batch “${name}”`, to };
    case "tier": {
      const known = name ?? lastText(detail.name);
      return { text: known === null ? `tier ${id}` : `the tier “${known}”`, to: name === null ? null : to };
    }
    case "email":
      return { text: name ?? "an address", to: null };
    case "settings":
      if (id.startsWith(ANNOUNCEMENT)) {
        const text = name ?? lastText(detail.body);
        return {
          text: text === null ? `announcement ${id.slice(ANNOUNCEMENT.length)}` : `the announcement “${cut(text)}”`,
          to: "/admin/announcements",
        };
      }
      return {
        text: name ?? (id === "support" ? "the support settings" : id.replaceAll("_", " ")),
        to: "/admin/settings",
      };
    default:
      return { text: name ?? `${type} ${id}`, to };
  }
}

/** Returns a record by its name, or by the one that the entry has of it. Leads to its form, or to the list. */
function resourcePart(
  resource: Resource,
  name: string | null,
  { subjectId, detail }: Pick<AuditRow, "subjectId" | "detail">,
): Part {
  const { called, path, nameField, nameOf = (text: string) => text, form } = resource;
  const written = lastText(ownValue(detail, nameField));
  const text = called(name ?? (written === null ? subjectId : nameOf(written)));
  if (form.save === undefined) return { text, to: path };
  return { text, to: name === null ? null : `${path}?edit=${subjectId}` };
}

/** Returns the text of the sentence without its links. */
export function plainText(parts: Part[]): string {
  return parts.map((part) => (typeof part === "string" ? part : part.text)).join("");
}

/** Returns a field's text, and of a change the newest one that isn't empty. */
function lastText(value: unknown): string | null {
  const known = [value].flat().findLast((one) => typeof one === "string" && one !== "");
  return typeof known === "string" ? known : null;
}

function cut(text: string): string;
function cut(text: string | null): string | null;
function cut(text: string | null): string | null {
  return text !== null && text.length > NAME_CHARS ? `${cutText(text, NAME_CHARS - 1)}…` : text;
}
