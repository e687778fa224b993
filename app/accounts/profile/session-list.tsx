import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Notice } from "#app/components/ui/notice.tsx";

export type ListedSession = { id: string; device: string; lastUsedAt: number; createdAt: number; current: boolean };

export function SessionList({ sessions, result }: { sessions: ListedSession[]; result: FormResult | null }) {
  const done = result?.intent.startsWith("end-") ? result.message : undefined;
  return (
    <>
      {done && (
        <div className="px-4 pt-4 sm:px-5">
          <Notice tone="good">{done}</Notice>
        </div>
      )}
      <ul className="divide-y divide-line">
        {sessions.map((session) => (
          <li key={session.id} className="flex min-h-16 items-center justify-between gap-4 px-4 py-2 sm:px-5">
            <div className="min-w-0 text-sm">
              <p className="font-medium">{session.device}</p>
              <p className="text-muted">
                Last used <RelativeDate at={session.lastUsedAt} />, logged in <RelativeDate at={session.createdAt} />
              </p>
            </div>
            {session.current ? (
              <Badge tone="good">This device</Badge>
            ) : (
              <ActionForm asksIdentity intent="end-session" result={null} hidden={{ id: session.id }}>
                <SubmitButton variant="secondary" aria-label={`Log out ${session.device}`}>
                  Log out
                </SubmitButton>
              </ActionForm>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <ActionForm asksIdentity intent="end-others" result={null} className="border-t border-line px-4 py-3 sm:px-5">
          <SubmitButton variant="danger">Log out all other devices</SubmitButton>
        </ActionForm>
      )}
    </>
  );
}
