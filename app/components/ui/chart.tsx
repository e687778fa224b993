import { scaleBand, scaleLinear } from "d3-scale";
import { area, curveMonotoneX, line } from "d3-shape";
import { type PointerEvent, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";

/** A day, such as `2026-11-21`, and its value. Null means no value, and a gap in the line. */
export type ChartPoint = { day: string; value: number | null };

// In viewBox units. The drawing is stretched to its box; the labels are outside it.
const WIDTH = 1000;
const HEIGHT = 200;
const TICKS = 3;
const NOTHING = "—";

/**
 * Daily values, as bars (counts) or a line (a level, such as a balance). Also rendered on the server.
 * `format` writes a value with its unit. `ticksUpTo` chooses round axis values in another unit, such as hours.
 * If every value is whole, as counts are, so is the axis. Screen readers get the same numbers as a table.
 */
export function Chart({
  title,
  kind,
  points,
  format,
  ticksUpTo,
}: {
  title: string;
  kind: "bars" | "line";
  points: ChartPoint[];
  format: (value: number) => string;
  ticksUpTo?: (max: number) => number[];
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const writeDay = useDayFormat();
  const values = points.flatMap(({ value }) => value ?? []);
  const ownTicks = ticksUpTo?.(Math.max(0, ...values));
  const y = scaleLinear()
    .domain([Math.min(0, ...values), Math.max(ownTicks?.at(-1) ?? 1, ...values)])
    .range([HEIGHT, 0]);
  if (!ownTicks) y.nice(TICKS);
  const x = scaleBand<number>()
    .domain(points.map((_, at) => at))
    .range([0, WIDTH])
    .paddingInner(kind === "bars" ? 0.25 : 0);
  const middle = (at: number) => (x(at) ?? 0) + x.bandwidth() / 2;
  // Counts have no fractional ticks.
  const areWhole = values.every(Number.isInteger);
  const ticks = ownTicks ?? y.ticks(TICKS).filter((tick) => !areWhole || Number.isInteger(tick));
  const write = (value: number | null) => (value === null ? NOTHING : format(value));
  const shown = pointed === null ? undefined : points[pointed];
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - box.left) / box.width) * points.length);
    setPointed(Math.min(points.length - 1, Math.max(0, at)));
  };
  const outline = line<ChartPoint>()
    .defined(({ value }) => value !== null)
    .x((_, at) => middle(at))
    .y(({ value }) => y(value ?? 0))
    .curve(curveMonotoneX);
  const filling = area<ChartPoint>()
    .defined(({ value }) => value !== null)
    .x((_, at) => middle(at))
    .y0(y(0))
    .y1(({ value }) => y(value ?? 0))
    .curve(curveMonotoneX);
  return (
    <figure className="min-w-0">
      <figcaption className="flex min-h-6 items-baseline justify-between gap-4 text-sm">
        <span className="text-muted">{title}</span>
        <span aria-hidden="true" className="tabular whitespace-nowrap">
          {shown ? `${writeDay(shown.day)}: ${write(shown.value)}` : ""}
        </span>
      </figcaption>
      <div className="mt-2 grid grid-cols-[minmax(0,1fr)_auto] gap-x-2 gap-y-1">
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-36 w-full overflow-visible"
          focusable="false"
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setPointed(null)}
        >
          {ticks.map((tick) => (
            <line
              key={tick}
              x1={0}
              x2={WIDTH}
              y1={y(tick)}
              y2={y(tick)}
              className="stroke-line"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {kind === "bars" ? (
            points.map(({ day, value }, at) => (
              <rect
                key={day}
                x={x(at)}
                width={x.bandwidth()}
                y={Math.min(y(value ?? 0), y(0))}
                height={Math.abs(y(0) - y(value ?? 0))}
                className={pointed === null || pointed === at ? "fill-accent" : "fill-line-strong"}
              />
            ))
          ) : (
            <>
              <path d={filling(points) ?? ""} className="fill-accent/15" />
              <path
                d={outline(points) ?? ""}
                fill="none"
                strokeWidth={2}
                strokeLinejoin="round"
                className="stroke-accent"
                vectorEffect="non-scaling-stroke"
              />
              {points.map(
                ({ day, value }, at) =>
                  // Between two gaps there is no line to see.
                  value !== null &&
                  (points[at - 1]?.value ?? null) === null &&
                  (points[at + 1]?.value ?? null) === null && (
                    <line
                      key={day}
                      x1={middle(at)}
                      x2={middle(at)}
                      y1={y(value)}
                      y2={y(value)}
                      strokeWidth={6}
                      strokeLinecap="round"
                      className="stroke-accent"
                      vectorEffect="non-scaling-stroke"
                    />
                  ),
              )}
              {pointed !== null && (
                <line
                  x1={middle(pointed)}
                  x2={middle(pointed)}
                  y1={0}
                  y2={HEIGHT}
                  className="stroke-line-strong"
                  vectorEffect="non-scaling-stroke"
                />
              )}
            </>
          )}
        </svg>
        <ol aria-hidden="true" className="tabular flex h-36 flex-col-reverse justify-between text-xs text-muted">
          {ticks.map((tick) => (
            <li key={tick} className="h-0 -translate-y-2 whitespace-nowrap">
              {format(tick)}
            </li>
          ))}
        </ol>
        <p aria-hidden="true" className="tabular flex justify-between text-xs text-muted">
          <span>{points[0] && writeDay(points[0].day)}</span>
          <span>{points.length > 1 && writeDay(points.at(-1)?.day ?? "")}</span>
        </p>
      </div>
      {/* A table takes no height of 1px, so it would lengthen the page by all its rows. */}
      <div className="sr-only">
        <table>
          <caption>{title}</caption>
          <tbody>
            {points.map(({ day, value }) => (
              <tr key={day}>
                <th scope="row">{writeDay(day)}</th>
                <td>{write(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** English on the server and during hydration: month abbreviations differ between browser versions. */
function useDayFormat(): (day: string) => string {
  const { locale } = useFormats();
  const language = useIsHydrated() ? locale : "en";
  const format = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  return (day) => (day ? format.format(new Date(`${day}T00:00:00Z`)) : "");
}
