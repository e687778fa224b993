import { Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";

/** The service search of a page without scripts. With scripts, the order form searches. */
export function FindWithoutScripts({ find, found }: { find: string; found: { id: number; name: string }[] | null }) {
  return (
    <div className="mb-3 hidden noscript:block">
      <form action="/dashboard" className="flex gap-2">
        <Input name="find" defaultValue={find} aria-label="Find a service by name" placeholder="instagram likes" />
        <Button type="submit" variant="secondary" className="sm:h-10">
          Find
        </Button>
      </form>
      {found && (
        <ul className="mt-2 text-sm">
          {found.length === 0 && <li className="text-muted">No matching services. Try fewer words.</li>}
          {found.map(({ id, name }) => (
            <li key={id}>
              <a
                href={`/dashboard?service=${id}`}
                className="flex h-11 items-center underline underline-offset-4 sm:h-8"
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
