import { Link, useFetcher } from "@remix-run/react";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { Field, Input } from "#app/components/forms/field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { CopyButton } from "#app/components/ui/copy-button.tsx";

/** Routes below /api/ read no cookie, so the form posts to the page's other URL. */
const TEST_KEY_PATH = "/docs/api";
const TEST_KEY = /^gl_test_[0-9a-f]{54}$/;

type TestKey = { key: string; setKey: (key: string) => void; isUsable: boolean };

const Context = createContext<TestKey>({ key: "", setKey: () => {}, isUsable: false });

/** Keeps the key in memory only: a reload clears it. */
export function TestKeyProvider({ children }: { children: ReactNode }) {
  const [key, setKey] = useState("");
  return <Context.Provider value={{ key, setKey, isUsable: TEST_KEY.test(key) }}>{children}</Context.Provider>;
}

export function useTestKey(): TestKey {
  return useContext(Context);
}

/** Stands in the samples until there is a key. */
export const KEY_PLACEHOLDER = "YOUR_API_KEY";

/** Returns the key to write into samples, whole, so that a copied sample runs. */
export function useSampleKey(): string {
  const { key, isUsable } = useTestKey();
  return isUsable ? key : KEY_PLACEHOLDER;
}

export type TestKeyResult = FormResult & { key?: string };

export function TestKeyBox({ signedIn }: { signedIn: boolean }) {
  const { key, setKey, isUsable } = useTestKey();
  const isHydrated = useIsHydrated();
  const creation = useFetcher<TestKeyResult>();
  const created = creation.data?.key;
  useEffect(() => {
    if (created) setKey(created);
  }, [created, setKey]);
  return (
    <div className="flex flex-col gap-4">
      <Field
        id="docs-test-key"
        label="Test key"
        help="Kept in this page's memory only. Reloading clears it."
        error={key !== "" && !isUsable ? faultOf(key) : undefined}
      >
        {({ autoFocus: _, ...control }) => (
          <Input
            {...control}
            disabled={!isHydrated}
            value={key}
            onChange={(event) => setKey(event.target.value.trim())}
            placeholder="gl_test_…"
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
          />
        )}
      </Field>
      <div className="flex flex-wrap items-center gap-3">
        {signedIn ? (
          <ActionForm action={TEST_KEY_PATH} sender={creation} result={creation.data}>
            <SubmitButton variant="secondary" className="self-start">
              Create test key
            </SubmitButton>
          </ActionForm>
        ) : (
          <p className="text-sm text-muted">
            <Link to="/auth/login?redirectTo=/api/docs" className="underline underline-offset-4 hover:text-text">
              Log in
            </Link>{" "}
            to create one here.
          </p>
        )}
        {isUsable && <CopyButton text={key} label="Copy key" />}
      </div>
      <p role="status" className="text-sm text-muted">
        {isUsable && "Key set. Every sample and “Try it” below uses it."}
      </p>
    </div>
  );
}

function faultOf(key: string): string {
  if (key.startsWith("gl_live_")) return "This is a live key and would charge you. Use one that starts with gl_test_.";
  return "Test keys start with gl_test_ and have 62 characters.";
}
