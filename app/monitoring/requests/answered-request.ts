import type { Area } from "#app/db/schema.server.ts";

/** A request with what its response cost, up to the response's headers. */
export type AnsweredRequest = {
  requestId: string;
  /** The pattern of the route, such as "/dashboard/orders/:id". Never a path, which may hold ids and tokens. */
  route: string;
  area: Area;
  method: string;
  status: number;
  ms: number;
  queries: number;
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
  /** Undefined if nobody is known to have sent it. */
  userId?: string | undefined;
};
