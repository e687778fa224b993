import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from "react-router-dom/server.js";
import { expect, test } from "vitest";
import { DataTable } from "./data-table.tsx";

const COLUMNS = [
  { name: "name", header: "Name", sort: "name" },
  { name: "orders", header: "Orders", sort: "orders", numeric: true },
  { name: "created", header: "Created", sort: "created" },
  { name: "note", header: "Note" },
].map((column) => ({ ...column, cell: () => column.header }));
const ORDERS = ["name", "orders", "created"].flatMap((key) => [true, false].map((descending) => ({ key, descending })));

test.for(ORDERS)("tells that a list is sorted by $key alone, and that way, descending: $descending", async (sort) => {
  const html = await render(sort);
  const headers = [...html.matchAll(/<th\b([^>]*)>([\s\S]*?)<\/th>/g)].map(([, attributes = "", content = ""]) => ({
    header: content.replace(/<[^>]*>/g, ""),
    sorted: /aria-sort="([a-z]+)"/.exec(attributes)?.[1],
    hasArrow: content.includes("<svg"),
    isLink: content.includes("<a "),
  }));
  const direction = sort.descending ? "descending" : "ascending";
  expect(headers).toEqual(
    COLUMNS.map((column) => ({
      header: column.header,
      sorted: column.name === sort.key ? direction : undefined,
      hasArrow: column.name === sort.key,
      isLink: column.name !== "note",
    })),
  );
});

async function render(sort: { key: string; descending: boolean }): Promise<string> {
  const state = { sort, sorts: ["name", "orders", "created"], next: null };
  const element = createElement(DataTable, {
    label: "Customers",
    columns: COLUMNS,
    rows: [{ id: 1 }],
    rowKey: (row) => (row as { id: number }).id,
    state,
  });
  const routes = [{ path: "/", element }];
  const context = await createStaticHandler(routes).query(new Request("https://growline.example/"));
  if (context instanceof Response) throw new Error("the list has no page");
  const router = createStaticRouter(routes, context);
  return renderToStaticMarkup(createElement(StaticRouterProvider, { router, context, hydrate: false }));
}
