import { ButtonLink } from "#app/components/ui/button.tsx";

export function NotFound() {
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl flex-1 px-4 py-20 outline-none sm:px-6">
      <p className="font-mono text-sm text-muted">404</p>
      <h1 className="mt-2 text-3xl">There is no page here</h1>
      <p className="mt-3 max-w-prose text-muted">
        The address may be mistyped, or the page may have moved. Nothing is lost: start from the front page.
      </p>
      <div className="mt-8 flex flex-wrap gap-3">
        <ButtonLink to="/">Go to the start page</ButtonLink>
        <ButtonLink to="/dashboard" variant="secondary">
          Open the dashboard
        </ButtonLink>
      </div>
    </main>
  );
}
