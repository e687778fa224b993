import MessageSquareQuote from "lucide-react/icons/message-square-quote";
import { effectTexts } from "#app/support/console/reply-effect-texts.ts";
import { NOTE_MAX_CHARS } from "#app/support/protocol/console-frames.ts";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";
import { ASSIGN_TO_ME, NEXT_STEP_WORDS } from "#app/support/protocol/reply-effects.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";
import type { Fields } from "../resource/fields.ts";
import type { Resource } from "../resource/resource.ts";

export const SAVED_REPLY_FIELDS = {
  shortcut: { kind: "line", label: "Shortcut", max: 31, help: "What you type after the slash." },
  body: { kind: "text", label: "Reply", max: BODY_MAX_CHARS, rows: 6 },
  tags: {
    ...{ kind: "line", label: "Tags it adds", max: 400, optional: true, logged: "addsTags" },
    ...{ heading: "When it's sent", help: "Separated by commas." },
  },
  assignTo: {
    ...{ kind: "choice", label: "Person it assigns", optional: true, logged: "assignsTo" },
    names: "customer",
    values: { "": "Keep the assignee", [ASSIGN_TO_ME]: "Whoever sends it" },
  },
  note: { kind: "text", label: "Team note it adds", max: NOTE_MAX_CHARS, rows: 2, optional: true, logged: "addsNote" },
  next: { kind: "choice", label: "What follows", values: NEXT_STEP_WORDS, optional: true },
} as const satisfies Fields;

declare module "../resource/resource.ts" {
  interface ResourceTypes {
    reply: true;
  }
}

const SAVED_REPLIES: Resource<Reply> = {
  type: "reply",
  page: { name: "replies", label: "Saved replies", follows: "/admin" },
  noun: "a saved reply",
  intro:
    "Type “/” at the start of a reply to use one. {name} becomes the visitor's first name, {agent} becomes yours. A reply can also tag, assign, add a note and close: you see what it does before you send it.",
  icon: MessageSquareQuote,
  called: (name) => `the reply ${name}`,
  nameField: "shortcut",
  nameOf: (shortcut) => `/${shortcut}`,
  roles: ["agent", "admin"],
  // Texts that an agent sends to one visitor after reading them.
  withoutProof: true,
  fields: SAVED_REPLY_FIELDS,
  form: { new: "New reply", add: "Add reply", save: "Save reply" },
  empty: {
    title: "No saved replies yet",
    text: "Save a reply you write often, and your whole team can use it.",
  },
  search: { placeholder: "Shortcut, text, tag or note" },
  columns: () => [
    {
      ...{ name: "shortcut", header: SAVED_REPLY_FIELDS.shortcut.label, sort: "shortcut" },
      className: "align-top font-mono text-xs",
      cell: ({ shortcut }) => `/${shortcut}`,
    },
    {
      ...{ name: "text", header: "Text and what it does" },
      // The first line stands beside the shortcut, which is as high as a row.
      className: "min-w-56 py-2.5 align-top max-md:col-span-2 max-md:before:hidden!",
      cell: ({ body }) => (
        <span className="line-clamp-3 break-words whitespace-pre-wrap text-muted empty:hidden">{body}</span>
      ),
      under: ({ effects }, { options }) => (
        <span className="line-clamp-2 break-words">
          {effectTexts(
            effects,
            Object.entries(options.assignTo ?? {}).map(([id, name]) => ({ id, name })),
          ).join(" · ")}
        </span>
      ),
    },
  ],
  actions: { delete: { label: "Delete", named: ({ shortcut }) => `Delete /${shortcut}` } },
  sentences: {
    create: (e) => ["created ", e.subject, e.skip("shortcut")],
    delete: (e) => ["deleted ", e.subject, e.skip("shortcut")],
  },
};
export default SAVED_REPLIES;
