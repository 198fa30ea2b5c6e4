/** Each command that examples/README.md shows, run in the order of the page against a twin and the API of the examples. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksOf, readText, sectionOf } from '../docs/markdown.ts'
import { bearer, postJson } from '../e2e/http.ts'
import { type ExampleShell, type Running, startExamples } from './example-shell.ts'

const PAGE = readText('examples/README.md')
const [api = '', twin = '', credentials = ''] = commandsUnder('## Start')

let shell: ExampleShell
beforeAll(async () => {
  shell = await startExamples({ api, twin })
})
afterAll(() => shell?.stop())

function commandsUnder(heading: string): readonly string[] {
  return blocksOf(sectionOf(PAGE, heading)).map(({ text }) => text)
}

/** What the commands of a section print, line by line. */
async function paste(heading: string): Promise<readonly string[]> {
  const printed = await shell.paste([credentials, ...commandsUnder(heading)].join('\n'))
  return printed.trimEnd().split('\n')
}

test('the first skill is pushed and called', async () => {
  const lines = await paste('## A first skill')
  expect(lines.at(-1)).toContain('lambdas')
})

test("the skill with the user's own secret gets the rates, and nobody sees the secret", async () => {
  const lines = await paste("## A skill with the user's own secret")
  expect(lines.at(-1)).toBe('{"NOK":1.25,"CHF":1.25}')
  expect(lines.join('\n')).not.toContain('rates-key')
})

test('the OpenAPI document becomes tools, and one of them is called', async () => {
  const lines = await paste('## An OpenAPI document')
  expect(lines.at(-1)).toBe('{"pets":[{"id":"2","name":"Tom","kind":"cat"}]}')
  expect(lines.join('\n')).toContain('sg_pets_showPet')
})

test('the MCP server is registered without the tool that deletes, and a tool of it is called', async () => {
  const [server = '', commands = ''] = commandsUnder('## An MCP server')
  const running: Running = shell.start(server)
  expect(await running.nextLine()).toBe('The MCP server of the examples is ready.')
  const printed = await shell.paste([credentials, commands].join('\n'))
  expect(printed).toContain('+ sg_notes_add_note\n')
  expect(printed).toContain('left out by the settings: delete_notes\n')
  expect(printed).toMatch(/^credits +0, add_note 0\.25$/m)
  expect(printed.trimEnd().split('\n').at(-1)).toBe('Buy milk')
})

test('the paid skill is charged to a user of its group, and is not there for another one', async () => {
  const lines = await paste('## A paid skill for some users')
  expect(lines).toContain('{"market":"salmon","outlook":"calm"}')
  expect(lines.at(-1)).toMatch(/sg_market_report.* 2\b/)
  const body = { skill: 'sg_market_report', arguments: { market: 'salmon' } }
  const other = await postJson(shell.twin.execute, body, bearer(shell.twin.secondKey))
  expect(other.status).toBe(404)
})

test('the hook signs the request, which the API accepts', async () => {
  const lines = await paste('## A hook')
  expect(lines.at(-1)).toContain('"subject":"The printer is out of paper"')
})

test('the agent in TypeScript lists the tools and calls one', async () => {
  const [inTypeScript = ''] = commandsUnder('## An agent')
  const printed = await shell.paste([credentials, inTypeScript].join('\n'))
  expect(printed).toMatch(/^tools: .*sg_weather/)
  expect(printed).toMatch(/^answer: .*Oslo.*\n$/m)
})

test('the agent of a long call gets a task, and then the result of the job', async () => {
  const lines = await paste('## A call that takes longer')
  expect(lines.at(-2)).toMatch(/^task: task_[A-Za-z0-9_-]{43}$/)
  expect(lines.at(-1)).toMatch(/^answer: .*Ada in oil/)
})

test('the receiver of events refuses what the gateway did not sign, and prints each event once', async () => {
  const [receiver = '', events = ''] = commandsUnder('## A receiver of events')
  const running: Running = shell.start(receiver)
  expect(await running.nextLine()).toBe('The receiver is ready.')
  await shell.paste('curl -sS -X POST http://127.0.0.1:3001/ -d "{}"')
  expect(await running.nextLine()).toBe('refused: not signed by the gateway')
  await shell.paste([credentials, events].join('\n'))
  const lines = [await running.nextLine(), await running.nextLine()].sort()
  expect(lines[0]).toMatch(
    /^event: low_balance \{"uid":"demo","balance":[\d.]+,"threshold":1000\}$/,
  )
  expect(lines[1]).toMatch(/^event: test \{"message":/)
})
