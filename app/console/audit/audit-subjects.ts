import { cutText } from "#app/cut-text.ts";
import { SEVERAL } from "#app/db/schema/audit-vocabulary.ts";
import { ownValue } from "#app/own-value.ts";
import type { Part } from "../resource/entry-words.ts";
import { pathOfPage, type Resource, type ResourceType } from "../resource/resource.ts";
import { ALL_RESOURCES, resourceOf } from "../resources/all-resources.ts";

/** The subject of an entry. `detail`: what the entry recorded. `names`: current names of rows, by keys such as `service 12`. */
export type About = {
  subjectType: string;
  subjectId: string;
  detail: Record<string, unknown>;
  names: Record<string, string | null>;
};

/** `name` is cut. `to`: its page, unless it has none or its subject is gone. */
type Called = { name: string | null; id: string; to: string | null; detail: Record<string, unknown> };

type Subject = {
  /** In the log's filter. */
  label: string;
  /** The path of its page, which its id follows. */
  page?: string;
  /** How an entry calls it. By default its name, or "service 12". */
  call?: (called: Called) => Part;
};

const DELETED = "deleted-";
const NAME_CHARS = 60;

/** Everything that entries are about, but for the records of resources, whose definitions say the same. */
const SUBJECTS = {
  order: { label: "Order", page: "/admin/orders/", call: ({ id, to }) => ({ text: `order ${id}`, to }) },
  service: { label: "Service", page: "/admin/services/" },
  provider: { label: "Provider", page: "/admin/providers/" },
  customer: {
    label: "Customer",
    page: "/admin/customers/",
    call: ({ name, to }) => (name === null ? { text: "a deleted account", to: null } : { text: name, to }),
  },
  conversation: {
    label: "Conversation",
    page: "/admin/support/",
    call: ({ name, id, to }) => {
      if (id.startsWith(DELETED)) return { text: "the conversation of a deleted account", to: null };
      return { text: name === null ? "a visitor's conversation" : `the conversation with ${name}`, to };
    },
  },
  settings: { label: "Setting", call: callSetting },
  email: { label: "Email address", call: ({ name }) => ({ text: name ?? "an address", to: null }) },
} satisfies Record<string, Subject>;

type OwnSubject = keyof typeof SUBJECTS;

declare module "#app/db/schema/audit-vocabulary.ts" {
  interface AuditVocabulary {
    subject: OwnSubject | ResourceType;
  }
}

/** Names the kinds of subjects in the log's filter. */
export const SUBJECT_LABELS = {
  ...Object.fromEntries(Object.entries(SUBJECTS).map(([type, { label }]) => [type, label])),
  ...Object.fromEntries(ALL_RESOURCES.map(({ type, noun }) => [type, labelOf(noun)])),
} as Record<OwnSubject | ResourceType, string>;

/** Returns the subject of an entry by its name, with a link to its page. */
export function subjectPart({ subjectType: type, subjectId: id, detail, names }: About): Part {
  const name = cut(ownValue(names, `${type} ${id}`) ?? null);
  const resource = resourceOf(type);
  if (resource) return resourcePart(resource, { name, id, detail });
  const { page, call = ({ to }: Called) => ({ text: name ?? `${type} ${id}`, to }) }: Partial<Subject> =
    ownValue<Subject>(SUBJECTS, type) ?? {};
  const isGone = page === undefined || id.startsWith(DELETED) || id === SEVERAL;
  return call({ name, id, detail, to: isGone ? null : page + id });
}

/** Returns a record by its name, or by the one that the entry has of it. Leads to its form, or to the list. */
function resourcePart(resource: Resource, { name, id, detail }: Omit<Called, "to">): Part {
  const { called, nameField, nameOf = (text: string) => text, form, hasOwnPages } = resource;
  const path = pathOfPage(resource);
  const written = cut(lastText(ownValue(detail, nameField)));
  const text = called(name ?? (written === null ? id : nameOf(written)));
  if (hasOwnPages) return { text, to: name === null ? null : `${path}/${id}` };
  if (form.save === undefined) return { text, to: path };
  return { text, to: name === null ? null : `${path}?edit=${id}` };
}

function callSetting({ name, id }: Called): Part {
  const text = name ?? (id === "support" ? "the support settings" : id.replaceAll("_", " "));
  return { text, to: "/admin/settings" };
}

/** Returns a field's text, and of a change the newest one that isn't empty. */
function lastText(value: unknown): string | null {
  const known = [value].flat().findLast((one) => typeof one === "string" && one !== "");
  return typeof known === "string" ? known : null;
}

/** Returns "Saved reply" for "a saved reply". */
function labelOf(noun: string): string {
  const words = noun.replace(/^an? /, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function cut(text: string | null): string | null {
  return text !== null && text.length > NAME_CHARS ? `${cutText(text, NAME_CHARS - 1)}…` : text;
}
