/**
 * Runs the week of week.ts and holds docs/week.md and the pictures in docs/pictures, which are made
 * of the same run. `npx vitest run test/week -u` writes them anew. With WEEK_TIMES=1 the time of each
 * step is printed.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { drawTerminal, toPlainText } from './draw-terminal.ts'
import type { Day, Step } from './step.ts'
import { BEFORE, WEEK } from './week.ts'
import { type Outcome, openWeek, WEEK_COLUMNS, type WeekWorld } from './week-world.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const STEP_MS = 630_000

let world: WeekWorld
const times: [line: string, ms: number][] = []
beforeAll(async () => {
  world = await openWeek(BEFORE.startsAt)
  for (const [path, text] of Object.entries(BEFORE.saves)) world.write(path, text)
  for (const step of BEFORE.lines) await runUntil({ says: '', ...step })
})
afterAll(async () => {
  await world.stop()
  if (process.env['WEEK_TIMES'] === undefined) return
  for (const [line, ms] of times) {
    process.stdout.write(`${ms.toFixed(0).padStart(6)} ms  ${line}\n`)
  }
})

test('docs/week.md and its pictures show what the commands of a week print', async () => {
  const parts = [HEAD]
  for (const day of WEEK) parts.push(await runDay(day))
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(join(DOCS, 'week.md'))
}, 60_000)

const HEAD = `# A week at the terminal

Four people use the command line for a week. A test runs these commands and compares what they
print, so the page is what you will see. [cli.md](cli.md) describes each command.`

async function runDay({ intro, startsAt, steps, title }: Day): Promise<string> {
  const parts = [`## ${title}`, intro]
  for (const [index, step] of steps.entries()) {
    world.moveTo(new Date(Date.parse(startsAt) + index * STEP_MS).toISOString())
    parts.push(await runStep(step))
  }
  return parts.join('\n\n')
}

async function runStep(step: Step): Promise<string> {
  const { before = [], code = 0, line, picture, says, saves = {}, upstreamFails } = step
  for (const [path, text] of Object.entries(saves)) world.write(path, text)
  if (upstreamFails !== undefined) world.upstream.fails = upstreamFails
  for (const earlier of before) await world.run(earlier)
  const beganAt = performance.now()
  const outcome = await (step.watch === undefined ? runUntil(step) : runWatch(step, step.watch))
  times.push([line, performance.now() - beganAt])
  expect.soft(outcome.code, `${line}\n${outcome.shown}`).toBe(code)
  keepValues(step, outcome)
  const shown = world.blank(toPlainText(outcome.shown)).trimEnd()
  const typed = world.blank(toTyped(step))
  const capture = [`$ ${typed}`, ...(shown === '' ? [] : [shown])].join('\n')
  if (picture === undefined) return `${says}\n\n\`\`\`console\n${capture}\n\`\`\``
  const colours = `$ ${typed}\n${world.blank(`${outcome.shown}`)}`
  await expect(drawTerminal(says, colours, WEEK_COLUMNS)).toMatchFileSnapshot(
    join(DOCS, `pictures/${picture}.svg`),
  )
  return `${says}\n\n![${says}](pictures/${picture}.svg)`
}

function toTyped({ line, stdin }: Step): string {
  return stdin === undefined ? line : `printf '%s' ${quote(stdin)} | ${line}`
}

function quote(text: string): string {
  return text.includes("'") ? `"${text}"` : `'${text}'`
}

function keepValues({ keeps = {}, line }: Step, { out }: Outcome): void {
  for (const [name, pattern] of Object.entries(keeps)) {
    const value = pattern.exec(toPlainText(out))?.[1]
    expect.soft(value, `${line}\n${out}`).toBeDefined()
    world.keep(name, value ?? '')
  }
}

async function runUntil({ line, realClock, stdin, until }: Step): Promise<Outcome> {
  let outcome = await world.run(line, { realClock, stdin })
  if (until === undefined) return outcome
  await vi.waitFor(
    async () => {
      if (outcome.shown.includes(until)) return
      outcome = await world.run(line, { realClock, stdin })
      throw new Error(`${line}: never printed ${until}\n${outcome.shown}`)
    },
    { timeout: 100_000, interval: 250 },
  )
  return outcome
}

/** Saves the files after the first output, and interrupts the command after the second one. */
async function runWatch({ line }: Step, saves: NonNullable<Step['watch']>) {
  const ended = new AbortController()
  let blocks = 0
  const onOut = (text: string) => {
    if (text !== '\n') return
    blocks += 1
    if (blocks > 1) ended.abort()
    else for (const [path, content] of Object.entries(saves)) world.write(path, content)
  }
  return world.run(line, { signal: ended.signal, onOut })
}
