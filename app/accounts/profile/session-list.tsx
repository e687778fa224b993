import { Form, useNavigation } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { FormAnswer } from "./profile-forms.tsx";

export type ListedSession = { id: string; device: string; lastUsedAt: number; createdAt: number; current: boolean };

export function SessionList({ sessions, answer }: { sessions: ListedSession[]; answer: FormAnswer | null }) {
  const sent = useNavigation().formData;
  const done = answer?.intent.startsWith("end-") ? answer.done : null;
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
                Last used <RelativeDate at={session.lastUsedAt} />, signed in <RelativeDate at={session.createdAt} />
              </p>
            </div>
            {session.current ? (
              <Badge tone="good">This device</Badge>
            ) : (
              <Form method="post" preventScrollReset>
                <input type="hidden" name="intent" value="end-session" />
                <input type="hidden" name="id" value={session.id} />
                <Button
                  type="submit"
                  variant="secondary"
                  busy={sent?.get("id") === session.id}
                  aria-label={`Sign out ${session.device}`}
                >
                  Sign out
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <Form method="post" preventScrollReset className="border-t border-line px-4 py-3 sm:px-5">
          <input type="hidden" name="intent" value="end-others" />
          <Button type="submit" variant="danger" busy={sent?.get("intent") === "end-others"}>
            Sign out all other devices
          </Button>
        </Form>
      )}
    </>
  );
}
