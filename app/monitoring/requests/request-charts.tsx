import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Chart } from "#app/components/ui/chart.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { RequestTotals } from "./request-totals.server.ts";

/** Requests, errors and the slowest twentieth of the last days, and of each area. On a phone, some stand under its name. */
export function RequestCharts({ totals: { days, areas } }: { totals: RequestTotals }) {
  const { number } = useFormats();
  const count = (value: number) => number(value);
  const ms = (value: number) => `${number(value)} ms`;
  const points = (of: (day: RequestTotals["days"][number]) => number | null) =>
    days.map((day) => ({ day: day.date, value: of(day) }));
  return (
    <>
      <div className="grid gap-6 p-4 sm:p-5 lg:grid-cols-3">
        <Chart
          title={`Requests per day, last ${days.length} days (UTC)`}
          kind="bars"
          points={points((day) => day.requests)}
          format={count}
        />
        <Chart title="Responses of 500 and above" kind="bars" points={points((day) => day.errors)} format={count} />
        <Chart title="95% took at most" kind="line" points={points((day) => day.p95)} format={ms} />
      </div>
      <div className="border-t border-line">
        <Table
          label="Requests by area"
          head={
            <>
              <Th>Area</Th>
              <Th numeric>Requests</Th>
              <Th numeric>Errors</Th>
              <Th numeric className="max-sm:hidden">
                Refused (429)
              </Th>
              <Th numeric className="max-sm:hidden">
                95% within
              </Th>
            </>
          }
        >
          {areas.map(({ area, requests, errors, refused, p95 }) => (
            <tr key={area}>
              <Td className="max-sm:py-2">
                {area}
                <p className="text-xs text-muted sm:hidden">
                  {p95 !== null && `95% within ${ms(p95)}`}
                  {p95 !== null && refused > 0 && ", "}
                  {refused > 0 && `${number(refused)} refused`}
                </p>
              </Td>
              <Td numeric>{number(requests)}</Td>
              <Td numeric>{number(errors)}</Td>
              <Td numeric className="max-sm:hidden">
                {number(refused)}
              </Td>
              <Td numeric className="max-sm:hidden">
                {p95 === null ? "—" : ms(p95)}
              </Td>
            </tr>
          ))}
        </Table>
      </div>
    </>
  );
}
