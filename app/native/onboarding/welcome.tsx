import { ButtonLink } from "#app/components/ui/button.tsx";
import { Mark } from "#app/components/ui/mark.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

/** The page after the introduction, with links to sign up and log in. */
export function Welcome({ signUpTo, logInTo }: { signUpTo: string; logInTo: string }) {
  return (
    <main
      id="main"
      tabIndex={-1}
      className="mx-auto flex w-full max-w-104 flex-1 flex-col justify-center px-4 py-12 outline-none"
    >
      <Mark className="size-14" />
      <h1 className="mt-6 text-3xl">Welcome to {PRODUCT_NAME}</h1>
      <p className="mt-3 text-muted">Followers, likes and views by the number, from one catalog and one balance.</p>
      <div className="mt-10 flex flex-col gap-3">
        <ButtonLink to={signUpTo} size="large">
          Create an account
        </ButtonLink>
        <ButtonLink to={logInTo} size="large" variant="secondary">
          Log in
        </ButtonLink>
      </div>
      <p className="mt-6 text-sm text-muted">All you need is an email address and a password.</p>
    </main>
  );
}
