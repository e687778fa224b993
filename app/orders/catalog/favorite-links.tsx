import { Link } from "@remix-run/react";

const FAVORITES_SHOWN = 4;

/** Links to the order form with one of the customer's favorites chosen. */
export function FavoriteLinks({ favorites }: { favorites: { id: number; name: string }[] }) {
  if (favorites.length === 0) return null;
  return (
    <ul aria-label="Favorites" className="flex min-w-0 flex-wrap gap-x-4 text-sm">
      {favorites.slice(0, FAVORITES_SHOWN).map(({ id, name }) => (
        <li key={id}>
          <Link
            to={`/dashboard?service=${id}`}
            preventScrollReset
            className="flex h-11 max-w-56 items-center text-muted hover:text-text sm:h-8"
          >
            <span className="truncate">{name}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
