/**
 * The command `skills test`: shows what a call of a skill would do, for a stored skill or for a
 * file. Sends nothing without --send, and never charges.
 */
import { resolve } from 'node:path'
import type { JsonObject } from '../../core/json/json.ts'
import { type Command, getArgument, getOption, type Invocation, isOn } from '../command/command.ts'
import { printJson } from '../command/print.ts'
import {
  type AdminClient,
  type Fields,
  openAdminClient,
  toFields,
} from '../gateway/admin-client.ts'
import { isExactObject } from '../gateway/exact-json.ts'
import { printDryRun } from '../skills/print-dry-run.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { readJson } from '../terminal/read-json.ts'
import { readText } from '../terminal/read-text.ts'
import { readArguments } from '../tools/read-arguments.ts'
import { WORD_HELP } from '../tools/read-words.ts'
import { OWNER, readSkillPlace, TIER } from './rows.ts'

async function test(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const report = isFile(call) ? await testFile(call, admin) : await testStored(call, admin)
  if (isOn(call, 'json')) printJson(call, report)
  else printDryRun(call.shell, report)
  const problems: readonly unknown[] = Array.isArray(report['problems']) ? report['problems'] : []
  const hasFailed = toFields(report['sent'])['failure'] !== undefined
  return problems.length > 0 || hasFailed ? EXIT.failed : EXIT.ok
}

function isFile(call: Invocation): boolean {
  const skill = getArgument(call, 'SKILL')
  return skill === '-' || /\.(json|md)$/i.test(skill)
}

async function testStored(call: Invocation, admin: AdminClient): Promise<Fields> {
  const { path, query } = readSkillPlace(call)
  const { skill } = await admin.send({ method: 'GET', path, query })
  const body = {
    uid: getOption(call, 'as'),
    arguments: await readSkillArguments(call, toFields(skill)),
  }
  const request = { path: `${path}/dry-run`, query: { ...query, ...readSendQuery(call) }, body }
  return admin.send({ method: 'POST', ...request })
}

async function testFile(call: Invocation, admin: AdminClient): Promise<Fields> {
  const skill = await readSkill(call)
  const body = {
    skill,
    source: getOption(call, 'source'),
    uid: getOption(call, 'as') ?? getOption(call, 'uid'),
    arguments: await readSkillArguments(call, skill),
  }
  return admin.send({ method: 'POST', path: '/skills:dry-run', query: readSendQuery(call), body })
}

function readSendQuery(call: Invocation) {
  return { send: isOn(call, 'send') ? 'true' : undefined }
}

async function readSkill(call: Invocation): Promise<JsonObject> {
  const { cwd, input } = call.shell
  const file = getArgument(call, 'SKILL')
  const text = file === '-' ? await input.readAll() : readText(resolve(cwd, file))
  const skill = readJson(text, file)
  if (isExactObject(skill)) return skill
  throw toUsageFault(
    `${file} is not a skill in JSON.`,
    'Push Markdown first, then test it by its id.',
  )
}

/** Reads the arguments and converts them by the skill's own schema, as a call does. */
function readSkillArguments(call: Invocation, definition: Fields): Promise<Fields> {
  const parameters = toFields(definition['meta'])['parameters']
  const inputSchema = isExactObject(parameters) ? parameters : {}
  return readArguments(call, call.words['ARGUMENT'] ?? [], {
    name: String(definition['id'] ?? getArgument(call, 'SKILL')),
    inputSchema,
  })
}

export const TEST_COMMAND: Command = {
  name: 'skills test',
  summary: 'Tell what a call of a skill would do',
  details:
    'Shows the request with its secrets masked, where each secret comes from, the target and the limits. Sends nothing; with --send it really calls, free of charge.',
  arguments: [
    {
      name: 'SKILL',
      help: 'the id of a skill; or a file in JSON of one, or -',
      completes: 'skills',
    },
    { name: 'ARGUMENT', help: WORD_HELP, optional: true, many: true },
  ],
  options: [
    TIER,
    OWNER,
    {
      flag: 'as',
      value: 'UID',
      help: 'as this user; without it shared secrets alone',
      completes: 'users',
    },
    { flag: 'send', help: 'really call, free of charge' },
  ],
  examples: [
    {
      says: 'What a call would send',
      line: 'skillgate skills test sg_weather city=Oslo --as demo',
    },
    {
      says: 'Call it, free of charge',
      line: 'skillgate skills test sg_weather city=Oslo --as demo --send',
    },
  ],
  prints: 'the request, secrets, target and limits; a call that would be refused exits with 1',
  data: 'document',
  run: test,
}
