/** The scale of a chart: numbers in, numbers out. */

/** The end of an axis above `value`: 1, 2, 5, 10, 20 …, so that its lines have short numbers. */
export function toScaleEnd(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  // A quotient such as 0.3 / 0.1 is a little more than its value.
  const step = [1, 2, 5].find((one) => value <= one * power * (1 + 1e-9)) ?? 10
  return Number((step * power).toPrecision(1))
}

/** How many equal parts the axis has, so that counts have whole numbers at its lines. */
export function countSteps(end: number): number {
  if (end <= 2) return end === 2 ? 2 : 1
  return String(end).startsWith('2') ? 4 : 5
}

/** Which of `count` labels are written: at most `most`, evenly, from the first one on. */
export function isLabelled(index: number, count: number, most: number): boolean {
  return index % Math.ceil(count / most) === 0
}

/** The next bar for an arrow key; the first or last one if none is chosen. */
export function moveChoice(from: number | undefined, by: 1 | -1, count: number): number {
  const next = (from ?? (by > 0 ? -1 : count)) + by
  return Math.max(0, Math.min(count - 1, next))
}
