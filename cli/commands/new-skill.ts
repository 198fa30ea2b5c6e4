/**
 * The command `skills new`: writes the file of a skill, from answers, options or a pasted `curl …`.
 * Talks to no gateway. A credential of the pasted line is never written; the command names the
 * secret that takes its place.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { JsonObject } from '../../core/json/json.ts'
import { type Command, getOption, type Invocation, isOn, type Option } from '../command/command.ts'
import { printJson } from '../command/print.ts'
import { type DraftSkill, makeSkill } from '../skills/curl/make-skill.ts'
import { readCurl } from '../skills/curl/read-curl.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { readText } from '../terminal/read-text.ts'
import { printNote, type Question } from '../terminal/shell.ts'
import { readNumber, SOURCE } from './rows.ts'

async function writeNewSkill(call: Invocation): Promise<ExitCode> {
  const pasted = await readPasted(call)
  const draft = pasted === undefined ? undefined : makeSkill(readCurl(pasted))
  const answers = await askMissing(call, draft)
  const skill = toDefinition(draft ?? draftFromUrl(answers), answers)
  const file = call.words['PATH']?.[0] ?? `${answers['id']}.json`
  const path = resolve(call.shell.cwd, file)
  if (existsSync(path) && !isOn(call, 'force')) {
    throw toUsageFault(`${file} exists.`, 'Name another file, or add --force to replace it.')
  }
  writeFileSync(path, `${JSON.stringify(skill, null, 2)}\n`)
  const secrets = draft?.secrets ?? []
  if (isOn(call, 'json')) printJson(call, { file, id: skill['id'], secrets })
  else call.shell.out.write(`${file}\n`)
  printNextSteps(call, { file, id: String(answers['id']), draft })
  return EXIT.ok
}

/** Returns the pasted line; undefined if there is none. */
async function readPasted(call: Invocation): Promise<string | undefined> {
  const file = getOption(call, 'from-curl')
  const { cwd, input } = call.shell
  if (file !== undefined && file !== '-') return readText(resolve(cwd, file))
  const isPiped = !input.isTTY && getOption(call, 'url') === undefined
  if (file === undefined && !isPiped) return undefined
  if (!input.isTTY) return input.readAll()
  throw toUsageFault(
    '--from-curl - reads the line from stdin.',
    "Paste it into a file, or between: skillgate skills new --from-curl - <<'EOF' and EOF.",
  )
}

type Answers = { readonly [name: string]: string }

/** Takes the answers from the options, and asks for the others on a terminal. */
async function askMissing(call: Invocation, draft: DraftSkill | undefined): Promise<Answers> {
  const questions = listQuestions(call, draft)
  const given = questions.flatMap(({ name }) => {
    const value = getOption(call, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const answers: { [name: string]: string } = Object.fromEntries(given)
  const open = questions.filter(({ name }) => answers[name] === undefined)
  if (call.shell.input.isTTY && open.length > 0)
    Object.assign(answers, await call.shell.input.askAll(open))
  for (const { initial, name } of open) {
    if (answers[name] === undefined && initial !== undefined) answers[name] = initial
  }
  checkAnswers(questions, answers)
  return answers
}

function checkAnswers(questions: readonly Question[], answers: Answers): void {
  const missing = questions.filter(({ name }) => answers[name] === undefined)
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `--${name}`).join(', ')
    throw toUsageFault(`There is no terminal to ask on, and no ${names}.`, `Give ${names}.`)
  }
  for (const { check, name } of questions) {
    const wrong = check?.(answers[name] ?? '')
    if (wrong !== undefined) throw toUsageFault(`--${name}: ${wrong}`)
  }
}

function listQuestions(call: Invocation, draft: DraftSkill | undefined): readonly Question[] {
  const request: readonly Question[] = [
    { name: 'url', message: 'URL, with {name} for each argument of its path', check: checkUrl },
    { name: 'method', message: 'Method', choices: METHODS, initial: 'GET' },
  ]
  const url = getOption(call, 'url')
  return [
    ...(draft === undefined ? request : []),
    {
      name: 'name',
      message: 'Name that people see',
      ...toInitial(draft?.name),
      check: checkFilled,
    },
    {
      name: 'description',
      message: 'What the tool does and when to use it (models decide by it)',
      ...toInitial(
        draft === undefined
          ? undefined
          : `Calls ${draft.config['method']} ${draft.config['endpoint']}.`,
      ),
      check: checkFilled,
    },
    {
      name: 'id',
      message: 'Id by which agents call it',
      ...toInitial(draft?.id ?? (url === undefined ? undefined : draftFromUrl({ url }).id)),
      check: (id) =>
        /^[\w-]{1,60}$/.test(id) ? undefined : 'is 1 to 60 characters of A-Z a-z 0-9 _ -',
    },
    { name: 'credits', message: 'Price of a call in credits (0 is free)', check: checkCredits },
    {
      name: 'source',
      message: 'Tier',
      choices: ['official', 'market', 'private'],
      initial: 'official',
    },
  ]
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

function toInitial(initial: string | undefined): { readonly initial?: string } {
  return initial === undefined ? {} : { initial }
}

function checkFilled(text: string): string | undefined {
  return text.trim() === '' ? 'is empty.' : undefined
}

function checkUrl(text: string): string | undefined {
  return /^https?:\/\/[^/{}]+/.test(text) ? undefined : 'begins with https://host.'
}

function checkCredits(text: string): string | undefined {
  return /^\d{1,5}(?:\.\d{1,6})?$/.test(text) ? undefined : 'is a number such as 1 or 0.5.'
}

/** The answers about the request, as if they were pasted. */
function draftFromUrl({ method = 'GET', url = '' }: Answers): DraftSkill {
  const line = `curl -X ${method} '${url.replaceAll("'", '%27')}'`
  return makeSkill(readCurl(line))
}

function toDefinition({ config, parameters }: DraftSkill, answers: Answers): JsonObject {
  const { credits = '0', description = '', id = '', name = '', source = 'official' } = answers
  return {
    id,
    source,
    meta: { name, description, parameters },
    config,
    credits_per_call: readNumber(credits, '--credits'),
  }
}

type Written = {
  readonly file: string
  readonly id: string
  readonly draft: DraftSkill | undefined
}

function printNextSteps({ shell }: Invocation, { draft, file, id }: Written): void {
  for (const { name, what } of draft?.secrets ?? []) {
    printNote(shell, `The file names the secret ${name} (${what}) in place of its value. Set it:`)
    printNote(shell, `  skillgate secrets shared set ${name} --skill ${id}`)
  }
  if (draft !== undefined && draft.dropped.length > 0) {
    printNote(shell, `Not sent by the skill: ${draft.dropped.join(', ')}.`)
  }
  printNote(shell, `Try it:  skillgate skills test ${file}`)
  printNote(shell, `Push it: skillgate skills push ${file}`)
}

const OPTIONS: readonly Option[] = [
  {
    flag: 'from-curl',
    value: 'FILE',
    help: 'make it of the curl line in this file, or - for stdin',
    completes: 'files',
  },
  { flag: 'url', value: 'URL', help: 'URL of the API, with {name} for arguments of its path' },
  { flag: 'method', value: 'METHOD', help: 'method of the call (GET)', choices: METHODS },
  { flag: 'id', value: 'ID', help: 'id of the skill' },
  { flag: 'name', value: 'TEXT', help: 'name that people see' },
  { flag: 'description', value: 'TEXT', help: 'what the tool does and when to use it' },
  { flag: 'credits', value: 'N', help: 'price of a call' },
  { ...SOURCE, help: 'tier of the skill (official)' },
  { flag: 'force', help: 'replace a file that exists' },
]

export const NEW_COMMAND: Command = {
  name: 'skills new',
  summary: 'Write the file of a skill, from answers or a pasted curl line',
  details:
    'Asks for what no option gives; in a pipe nothing is asked. Query and body of the curl line become parameters, and credentials become names of secrets: the file has no value of them.',
  arguments: [
    {
      name: 'PATH',
      help: 'the file to write (ID.json)',
      optional: true,
      completes: 'files',
    },
  ],
  options: OPTIONS,
  examples: [
    {
      says: 'From a curl line of some documentation',
      line: 'skillgate skills new /tmp/rate.json --from-curl - --credits 1 --force',
      stdin: "curl -H 'x-api-key: abc' 'https://api.example.com/v1/rates?base=EUR'",
    },
    {
      says: 'From a URL',
      line: 'skillgate skills new /tmp/order.json --url https://api.example.com/orders/{order} --name Order --description Shows_an_order --credits 0 --force',
    },
  ],
  prints: 'the path of the file; the secrets to set and what to do next are on stderr',
  data: 'none',
  run: writeNewSkill,
}
