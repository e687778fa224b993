/** The narrowed lists of customers. */
export const CUSTOMER_VIEWS = ["all", "owing", "team"] as const;
export type CustomerView = (typeof CUSTOMER_VIEWS)[number];

export const CUSTOMER_VIEW_NAMES: Record<CustomerView, string> = { all: "All", owing: "Owing", team: "Team" };

export const ROLE_NAMES = { customer: "Customer", agent: "Agent", admin: "Admin" } as const;
