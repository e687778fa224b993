import type { ReactNode } from "react";
import { Select } from "#app/components/forms/select.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import type { AgentAction } from "#app/support/protocol/agent-actions.server.ts";
import type { Agent, Triage, VisitedPage, VisitorDetails } from "#app/support/protocol/console-frames.ts";
import type { Contact } from "./contact-email.tsx";
import { ConversationTags } from "./conversation-tags.tsx";
import { SnoozeField } from "./snooze-field.tsx";
import { SeenPages, VisitorSection } from "./visitor-section.tsx";

const UNASSIGNED = "";

/** The panel beside the thread: assignee, tags, visitor, account and block. */
export function ConversationSide({
  triage,
  isOpen,
  page,
  visitor,
  staff,
  contact,
  isHere,
  isAccount,
  account,
  earlier,
  onAction,
}: {
  triage: Triage;
  isOpen: boolean;
  page: VisitedPage | null;
  visitor: VisitorDetails;
  staff: Agent[];
  contact: Contact;
  isHere: boolean;
  /** The conversation belongs to an account, not to a browser. */
  isAccount: boolean;
  /** The account and its orders; null for a visitor who is not logged in. */
  account: ReactNode;
  /** Earlier conversations. */
  earlier: ReactNode;
  onAction: (action: AgentAction) => void;
}) {
  const isHydrated = useIsHydrated();
  const { assignee, tags, blocked } = triage;
  // The assignee may have left the team.
  const people = assignee && !staff.some(({ id }) => id === assignee.id) ? [...staff, assignee] : staff;
  return (
    <fieldset disabled={!isHydrated} className="flex min-w-0 flex-col gap-5 p-4 text-sm">
      <div className="flex flex-col gap-1.5">
        <label htmlFor="assignee" className="font-medium">
          Assigned to
        </label>
        <Select
          id="assignee"
          value={assignee?.id ?? UNASSIGNED}
          onChange={({ target }) =>
            onAction({ action: "assign", agentId: target.value === UNASSIGNED ? null : target.value })
          }
        >
          <option value={UNASSIGNED}>Nobody</option>
          {people.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      <SnoozeField
        until={triage.snoozedUntil}
        isOpen={isOpen}
        onSnooze={(until) => onAction({ action: "snooze", until })}
      />
      <ConversationTags tags={tags} onAction={onAction} />
      <VisitorSection contact={contact} page={isHere ? page : null} language={visitor.language} />
      {account ?? <p className="text-muted">Not logged in. No account or orders to show.</p>}
      <SeenPages pages={visitor.pages} />
      {earlier}
      <section aria-labelledby="block" className="flex flex-col gap-1.5">
        <h2 id="block" className="text-sm">
          Block
        </h2>
        <p id="block-effect" className="text-muted">
          {blockText(isAccount, blocked)}
        </p>
        <Button
          variant={blocked ? "secondary" : "danger"}
          aria-describedby="block-effect"
          onClick={() => onAction({ action: "block", blocked: !blocked })}
          className="self-start"
        >
          {blocked ? "Unblock visitor" : "Block visitor"}
        </Button>
      </section>
    </fieldset>
  );
}

/** Says what a block covers: an account, or the cookies of one browser. */
function blockText(isAccount: boolean, blocked: boolean): string {
  if (isAccount) {
    return blocked
      ? "This account can read the conversation but can't write, on any device. The customer can still log in and order."
      : "Closes the conversation. The account can still read it but can't write, on any device. The customer can still log in and order.";
  }
  return blocked
    ? "This browser, and any account it logs in to, is blocked. Clearing cookies bypasses it."
    : "Closes the conversation. Blocks this browser and any account it logs in to. Clearing cookies bypasses it.";
}
