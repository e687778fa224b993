/** Terms besides the price that a waiting change brings: whichever decision is made, the provider's apply. */
export type OtherTerms = { hasNewType: boolean; hasNewLimits: boolean };

/** How many of some changes bring another type, and how many other limits. */
export type NewTermCounts = { types: number; limits: number };

export function countNewTerms(changes: OtherTerms[]): NewTermCounts {
  return {
    types: changes.filter(({ hasNewType }) => hasNewType).length,
    limits: changes.filter(({ hasNewLimits }) => hasNewLimits).length,
  };
}

/** Says what a decision changes besides prices. Returns null if that is nothing. */
export function newTermsText({ types, limits }: NewTermCounts): string | null {
  const type = types === 0 ? [] : [types === 1 ? "1 service changes its type" : `${types} services change their type`];
  const of = types > 0 ? "" : limits === 1 ? "service " : "services ";
  const limit = limits === 0 ? [] : [limits === 1 ? `1 ${of}changes its limits` : `${limits} ${of}change their limits`];
  const changes = [...type, ...limit].join(" and ");
  return changes === "" ? null : `Whatever you choose, ${changes} to the provider's.`;
}
