/**
 * A chart of one value per day or hour: bars with an axis, units, and the value under the pointer or
 * the keyboard. A screen reader gets the same as a table.
 */
import { useSignal } from '@preact/signals'

export type Bar = { readonly label: string; readonly value: number }

const WIDTH = 720
const HEIGHT = 180
const LEFT = 56
const BOTTOM = 24
const TOP = 8
/** Lines of the axis above zero. */
const STEPS = 4

export function BarChart({
  title,
  unit,
  bars,
  format = (value) => String(value),
}: {
  title: string
  unit: string
  bars: readonly Bar[]
  format?: (value: number) => string
}) {
  const at = useSignal<number | undefined>(undefined)
  const most = toRound(Math.max(0, ...bars.map(({ value }) => value)))
  const plotHeight = HEIGHT - TOP - BOTTOM
  const slot = (WIDTH - LEFT) / Math.max(1, bars.length)
  const toY = (value: number) => TOP + plotHeight * (1 - value / most)
  const chosen = at.value === undefined ? undefined : bars[at.value]
  const move = (by: number) => {
    const next = (at.peek() ?? (by > 0 ? -1 : bars.length)) + by
    at.value = Math.max(0, Math.min(bars.length - 1, next))
  }
  return (
    <figure class="chart">
      <figcaption>
        {title} <small>({unit})</small>
        <output>{chosen === undefined ? '' : `${chosen.label}: ${format(chosen.value)}`}</output>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}, ${unit}. The table below has the values.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows choose a bar.
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.key === 'ArrowRight') move(1)
          if (event.key === 'ArrowLeft') move(-1)
        }}
        onPointerLeave={() => {
          at.value = undefined
        }}
      >
        {Array.from({ length: STEPS + 1 }, (_, step) => {
          const value = (most * step) / STEPS
          return (
            <g key={step}>
              <line class="grid" x1={LEFT} x2={WIDTH} y1={toY(value)} y2={toY(value)} />
              <text class="axis" x={LEFT - 6} y={toY(value) + 4} text-anchor="end">
                {format(value)}
              </text>
            </g>
          )
        })}
        {bars.map(({ label, value }, index) => (
          <g
            key={label}
            onPointerEnter={() => {
              at.value = index
            }}
          >
            <rect class="hit" x={LEFT + index * slot} y={TOP} width={slot} height={plotHeight} />
            <rect
              class={at.value === index ? 'bar chosen' : 'bar'}
              x={LEFT + index * slot + slot * 0.1}
              y={toY(value)}
              width={slot * 0.8}
              height={TOP + plotHeight - toY(value)}
            />
            {index % Math.ceil(bars.length / 8) === 0 && (
              <text class="axis" x={LEFT + index * slot} y={HEIGHT - 6}>
                {label}
              </text>
            )}
          </g>
        ))}
      </svg>
      <table class="for-screen-readers">
        <caption>{`${title}, ${unit}`}</caption>
        <tbody>
          {bars.map(({ label, value }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{format(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

/** The next of 1, 2, 5, 10, 20 …, so that the lines of the axis have short numbers. */
function toRound(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 5, 10].find((one) => value <= one * power) ?? 10
  return step * power
}
