/**
 * Runs the week of week.ts and holds docs/week.md and the pictures in docs/pictures, which are made
 * of the same run. `npx vitest run test/week -u` writes them anew.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drawTerminal, toPlainText } from './draw-terminal.ts'
import { type Day, type Step, WEEK } from './week.ts'
import { openWeek, toCapture, WEEK_COLUMNS, type WeekWorld } from './week-world.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const STEP_MS = 630_000

let world: WeekWorld
beforeAll(async () => {
  world = await openWeek('2026-11-02T08:00:00Z')
})
afterAll(() => world.stop())

test('docs/week.md and its pictures show what the commands of a week print', async () => {
  const parts = [HEAD]
  for (const day of WEEK) parts.push(await runDay(day))
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(join(DOCS, 'week.md'))
})

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
  const { code = 0, line, picture, says, saves = {}, stdin, upstreamFails } = step
  for (const [path, text] of Object.entries(saves)) world.write(path, text)
  if (upstreamFails !== undefined) world.upstream.fails = upstreamFails
  const outcome = await runUntil(step)
  expect(outcome.code, `${line}\n${outcome.out}${outcome.err}`).toBe(code)
  const shown = world.blank(toCapture(outcome))
  for (const row of shown.split('\n')) expect(toPlainText(row)).not.toContain('\u001b')
  const typed = stdin === undefined ? line : `printf '%s' '${stdin}' | ${line}`
  const capture = [`$ ${typed}`, ...(shown === '' ? [] : [shown])].join('\n')
  if (picture === undefined) return `${says}\n\n\`\`\`console\n${capture}\n\`\`\``
  const colours = world.blank(`$ ${typed}\n${outcome.out}${outcome.err}`)
  await expect(drawTerminal(colours, WEEK_COLUMNS)).toMatchFileSnapshot(
    join(DOCS, `pictures/${picture}.svg`),
  )
  return `${says}\n\n![${says}](pictures/${picture}.svg)`
}

async function runUntil({ line, stdin, until }: Step) {
  const words = line.replace(/^skillgate /, '')
  if (until === undefined) return world.run(words, { stdin })
  return expect
    .poll(async () => {
      const outcome = await world.run(words, { stdin })
      return { outcome, isThere: toCapture(outcome).includes(until) }
    })
    .toMatchObject({ isThere: true })
    .then(() => world.run(words, { stdin }))
}
