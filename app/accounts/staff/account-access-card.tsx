import { useFetcher } from "@remix-run/react";
import { type ReactNode, useId, useState } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Field, Input } from "#app/components/forms/field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { AccountAccess } from "./account-access.server.ts";

type Role = AccountAccess["role"];
const ROLES: Role[] = ["customer", "agent", "admin"];
const ROLE_TEXTS: Record<Role, string> = {
  customer: "Customer: places their own orders",
  agent: "Agent: works on orders and conversations",
  admin: "Admin: also money, services and settings",
};

type Props = {
  access: AccountAccess;
  viewer: { userId: string; role: "agent" | "admin" };
  /** Whether the account is of staff who have yet to set up the second factor that is required. */
  needsSetupLink: boolean;
  /** The key that makes the next change take effect once. */
  once: string;
  /** The result of a form that was sent without scripts. */
  result: FormResult | null;
};

/** Shows whether an account can log in and where it is logged in, with what the viewer may change of it. */
export function AccountAccessCard(props: Props) {
  const { access, viewer, once } = props;
  const { suspendedAt } = access;
  const isOwn = access.userId === viewer.userId;
  const isAllowed = !isOwn && (viewer.role === "admin" || access.role === "customer");
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        {suspendedAt === null ? <Badge tone="good">Active</Badge> : <Badge tone="bad">Suspended</Badge>}
        <span className="text-muted">
          {suspendedAt === null ? (
            <Devices access={access} />
          ) : (
            <>
              Since <RelativeDate at={suspendedAt} />
            </>
          )}
        </span>
      </p>
      {isAllowed ? (
        <AccessForm key={once} {...props} />
      ) : (
        <p className="text-muted">
          {isOwn ? "You can't change your own access. Ask another admin." : "Only an admin can change a staff account."}
        </p>
      )}
    </div>
  );
}

function Devices({ access: { sessions, lastUsedAt } }: { access: AccountAccess }) {
  if (lastUsedAt === null) return "Not logged in";
  return (
    <>
      Logged in on {sessions} {sessions === 1 ? "device" : "devices"}, last used <RelativeDate at={lastUsedAt} />
    </>
  );
}

/** One reason for the buttons below it, each of which asks for confirmation. */
function AccessForm({ access, viewer, needsSetupLink, once, result }: Props) {
  const { email, suspendedAt } = access;
  const [reason, setReason] = useState("");
  const [role, setRole] = useState(access.role);
  // Pinned at first render: data that the page reads later must not make an unsaved choice look like the saved one.
  const [seenRole] = useState(access.role);
  const fetcher = useFetcher<FormResult>();
  const shown = fetcher.data ?? (result?.intent === "access" ? result : null);
  const fields = { intent: "access", once, reason };
  const common = { sender: fetcher, asksIdentity: true, keep: "Cancel", busy: fetcher.state !== "idle" };
  const roleOptions = ROLES.map((each) => (
    <option key={each} value={each}>
      {ROLE_TEXTS[each]}
    </option>
  ));
  const buttons = {
    suspend: (
      <ConfirmButton
        {...common}
        fields={{ ...fields, change: "suspend" }}
        variant="danger"
        button="Suspend account"
        question="Suspend this account?"
        description={`${email} is logged out and can't log in. API keys stop working. Orders that were placed continue.`}
        confirm="Suspend account"
      >
        <PlainReason />
      </ConfirmButton>
    ),
    endSessions: (
      <ConfirmButton
        {...common}
        fields={{ ...fields, change: "end_sessions" }}
        variant="danger"
        button="Log out everywhere"
        question="Log out all devices?"
        description={`${email} has to log in again. Open support chats and staff pages end at once.`}
        confirm="Log out everywhere"
      >
        <PlainReason />
      </ConfirmButton>
    ),
    reactivate: (
      <ConfirmButton
        {...common}
        fields={{ ...fields, change: "reactivate" }}
        variant="secondary"
        button="Reactivate account"
        question="Reactivate this account?"
        description={`${email} can log in again, and the API keys work again.`}
        confirm="Reactivate account"
        confirmVariant="primary"
      >
        <PlainReason />
      </ConfirmButton>
    ),
    removeFactors: (
      <ConfirmButton
        {...common}
        fields={{ ...fields, change: "remove_factors" }}
        variant="danger"
        button="Remove two-step login"
        question="Remove the two-step login?"
        description={`All passkeys, the authenticator app and the recovery codes of ${email} are removed. The owner is logged out everywhere and gets an email. Make sure first that it is the owner who asks.`}
        confirm="Remove two-step login"
      >
        <PlainReason />
      </ConfirmButton>
    ),
    sendSetupLink: (
      <ConfirmButton
        {...common}
        fields={{ ...fields, change: "send_setup_link" }}
        variant="secondary"
        button="Send setup link"
        question="Send a new setup link?"
        description={`${email} gets a new link to set up two-step login, and is logged out. Earlier links stop working.`}
        confirm="Send setup link"
        confirmVariant="primary"
      >
        <PlainReason />
      </ConfirmButton>
    ),
    role: (
      <ConfirmButton
        {...common}
        fields={{ ...fields, change: "role", role, from: seenRole }}
        variant="secondary"
        button="Change role"
        question={`Change the role to ${role}?`}
        description={`${email} is logged out and has the new role at the next log-in.`}
        confirm="Change role"
        confirmVariant="primary"
      >
        <Labeled label="Role" className="mb-3">
          {(control) => (
            <Select {...control} name="role" defaultValue={access.role}>
              {roleOptions}
            </Select>
          )}
        </Labeled>
        <PlainReason />
      </ConfirmButton>
    ),
  };
  return (
    <div className="flex flex-col gap-4">
      {shown?.message && !shown.ok && <Notice tone="bad">{shown.message}</Notice>}
      <Labeled
        label="Reason"
        help="Saved in the audit log. The customer doesn't see it."
        error={shown?.fieldErrors?.reason}
        className="noscript:hidden"
      >
        {(control) => (
          <Input
            {...control}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            maxLength={300}
            autoComplete="off"
          />
        )}
      </Labeled>
      <div className="flex flex-wrap gap-2">
        {suspendedAt === null ? (
          <>
            {buttons.endSessions}
            {buttons.suspend}
          </>
        ) : (
          buttons.reactivate
        )}
        {viewer.role === "admin" && access.hasFactor && buttons.removeFactors}
        {viewer.role === "admin" && needsSetupLink && buttons.sendSetupLink}
      </div>
      {viewer.role === "admin" && (
        <div className="flex flex-wrap items-end gap-2 border-t border-line pt-4">
          <Labeled label="Role" error={shown?.fieldErrors?.role} className="grow noscript:hidden">
            {(control) => (
              <Select {...control} value={role} onChange={({ target }) => setRole(target.value as Role)}>
                {roleOptions}
              </Select>
            )}
          </Labeled>
          {buttons.role}
        </div>
      )}
    </div>
  );
}

function Labeled({
  children,
  ...field
}: {
  label: string;
  help?: string;
  error?: string | undefined;
  className?: string;
  children: Parameters<typeof Field>[0]["children"];
}): ReactNode {
  const id = useId();
  return (
    <Field {...field} id={id}>
      {children}
    </Field>
  );
}

/** The reason in a browser without scripts. It comes after the hidden empty one and replaces it. */
function PlainReason() {
  return (
    <Labeled label="Reason" className="mb-3">
      {(control) => <Input {...control} name="reason" required minLength={3} maxLength={300} autoComplete="off" />}
    </Labeled>
  );
}
