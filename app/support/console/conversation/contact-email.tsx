/** Where the visitor reads email: the account's address, or what a visitor without an account typed. */
export type Contact = { email: string | null; isConfirmed: boolean };

/** The address, marked unless its owner has confirmed it: it may be somebody else's. */
export function ContactEmail({ contact: { email, isConfirmed } }: { contact: Contact }) {
  if (email === null) return <span className="text-muted">No email</span>;
  return (
    <>
      <a href={`mailto:${email}`} title={email} className="min-w-0 truncate underline underline-offset-4">
        {email}
      </a>
      {!isConfirmed && <span className="shrink-0 text-warn">· Not confirmed</span>}
    </>
  );
}
