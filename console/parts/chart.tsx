/**
 * A chart of one value per day or hour: bars with an axis, units, and the value under the pointer or
 * the keyboard. A part of each bar can stand out. A screen reader gets the same as a table.
 */
import { useSignal } from '@preact/signals'
import { countSteps, isLabelled, moveChoice, toScaleEnd } from './chart-scale.ts'
import { formatCount } from './text.tsx'

/** `part`: how much of the value stands out, such as failed calls. */
export type Bar = { readonly label: string; readonly value: number; readonly part?: number }

const WIDTH = 720
const HEIGHT = 196
const LEFT = 76
const BOTTOM = 30
const TOP = 18
const LABELS_MAX = 5
/** Characters of a label below the axis; the value that is chosen has the whole one. */
const LABEL_CHARS = 11

export function BarChart({
  bars,
  format = formatCount,
  part,
  title,
  unit,
}: {
  title: string
  unit: string
  bars: readonly Bar[]
  format?: (value: number) => string
  /** What the parts of the bars are; without it there are none. */
  part?: string
}) {
  const at = useSignal<number | undefined>(undefined)
  const most = toScaleEnd(Math.max(...bars.map(({ value }) => value)))
  const steps = countSteps(most)
  const plot = HEIGHT - TOP - BOTTOM
  const slot = (WIDTH - LEFT) / bars.length
  const toY = (value: number) => TOP + plot * (1 - value / most)
  const say = ({ part: some = 0, value }: Bar) =>
    format(value) + (part === undefined ? '' : `, ${format(some)} ${part}`)
  const chosen = at.value === undefined ? undefined : bars[at.value]
  const choose = (index: number | undefined) => {
    at.value = index
  }
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong> <small>{unit}</small>
        {part !== undefined && <small class="part">{part}</small>}
        <output>{chosen && `${chosen.label}: ${say(chosen)}`}</output>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}, ${unit}. The table below has the values; the arrow keys choose one.`}
        // Arrows choose a bar. In SVG the attribute counts in lower case alone.
        tabindex={0}
        onKeyDown={({ key }) => {
          const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : undefined
          if (by !== undefined) choose(moveChoice(at.peek(), by, bars.length))
        }}
        onPointerLeave={() => choose(undefined)}
      >
        {Array.from({ length: steps + 1 }, (_, step) => {
          const value = (most * step) / steps
          return (
            <g key={step}>
              <line class="grid" x1={LEFT} x2={WIDTH} y1={toY(value)} y2={toY(value)} />
              <text class="axis" x={LEFT - 6} y={toY(value) + 4} text-anchor="end">
                {format(value)}
              </text>
            </g>
          )
        })}
        {bars.map(({ label, part: some = 0, value }, index) => {
          const x = LEFT + index * slot
          const [left, width] = [x + slot * 0.1, slot * 0.8]
          return (
            <g key={index} onPointerEnter={() => choose(index)}>
              <rect class="hit" x={x} y={TOP} width={slot} height={plot} />
              <rect
                class={at.value === index ? 'bar chosen' : 'bar'}
                x={left}
                y={toY(value)}
                width={width}
                height={toY(0) - toY(value)}
              />
              <rect class="part" x={left} y={toY(some)} width={width} height={toY(0) - toY(some)} />
              {isLabelled(index, bars.length, LABELS_MAX) && (
                <text class="axis" x={x + slot / 2} y={HEIGHT - 4} text-anchor="middle">
                  {label.slice(0, LABEL_CHARS)}
                </text>
              )}
            </g>
          )
        })}
      </svg>
      <div class="for-screen-readers">
        <table>
          <caption>{`${title}, ${unit}`}</caption>
          <tbody>
            {bars.map((bar, index) => (
              <tr key={index}>
                <th scope="row">{bar.label}</th>
                <td>{say(bar)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
