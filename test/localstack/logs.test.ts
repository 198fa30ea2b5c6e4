/**
 * `skillgate logs --stage` on the emulator's CloudWatch Logs, with lines that the deployed execute function wrote
 * there. LocalStack does not write them to the group that the function names: the test brings them there, as they
 * are (gaps.ts). No emulator reads patterns of JSON, so what CloudWatch would choose is chosen by the command.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { openAwsAccount } from '../../cli/aws/ask-service.ts'
import { readCommand } from '../../cli/command/read-command.ts'
import { LOGS_COMMAND } from '../../cli/commands/logs.ts'
import { type CommandOutcome, runIn, type ShellOptions } from '../cli/test-shell.ts'
import { freshName } from '../contracts/fresh.ts'
import { createUser, syncSkill } from '../e2e/admin.ts'
import { type Fields, fieldsOf, readJsonObject, stringOf } from '../e2e/fields.ts'
import { bearer } from '../e2e/http.ts'
import { emulatorEnvironment } from './credentials.ts'
import { deployedFunction } from './deployed-functions.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'
import { emulatorOfProcess } from './emulator.ts'
import { askByHost } from './emulator-http.ts'
import { lacks, whyNot } from './gaps.ts'

const HOUR_MS = 3_600_000
const NAMED_GROUP = 'writes the lines of a function to the log group that it names'
/** A line is shown when the emulator has stored it, which takes as long as the machine is busy. */
const WITHIN = { timeout: 100_000, interval: 200 }

const emulator = await emulatorOfProcess()
let deployed: Deployment
let env: NodeJS.ProcessEnv
let ask: (action: string, body: object) => Promise<Fields>
/** The group that the function names, and where this emulator writes its lines. */
let stageGroup = ''
let writtenGroup = ''
const logStreamName = randomUUID()
let user: { uid: string; key: string }
let healthTool = ''
let missingTool = ''

beforeAll(async () => {
  deployed = await deploymentOfProcess()
  env = emulatorEnvironment(emulator.endpoint)
  const account = await openAwsAccount(env)
  ask = async (action, body) => {
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Logs_20140328.${action}`,
    }
    const text = await account.ask({
      service: 'logs',
      path: '/',
      body: JSON.stringify(body),
      headers,
    })
    return text === '' ? {} : readJsonObject(text)
  }
  const logGroupNamePrefix = 'Skillgate-emulated-Gateway-Execute'
  const { logGroups } = await ask('DescribeLogGroups', { logGroupNamePrefix })
  stageGroup = stringOf(recordsOf(logGroups)[0] ?? {}, 'logGroupName')
  const { name } = await deployedFunction(emulator.endpoint, 'execute')
  writtenGroup = lacks(emulator.name, NAMED_GROUP) ? `/aws/lambda/${name}` : stageGroup
  await ask('CreateLogStream', { logGroupName: stageGroup, logStreamName })
  user = await createUser(deployed, { username: freshName('lou'), credits: 10 })
  const skill = (at: string) => ({ id: `sg_${freshName('s')}`, at: deployed.url + at, price: 0.5 })
  healthTool = await syncSkill(deployed, skill('/_localstack/health'))
  missingTool = await syncSkill(deployed, skill('/_localstack/nothing-is-here'))
})

function recordsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map((one) => fieldsOf({ one }, 'one')) : []
}

function executeUrl(): string {
  return new URL('v1/execute', deployed.outputs.executeUrl).href
}

/** Calls the skill at the function's URL, and answers the line that the function wrote of it, which is in its group then. */
async function lineOfCall(skill: string): Promise<string> {
  const { endpoint } = emulator
  const headers = { 'content-type': 'application/json', ...bearer(user.key) }
  const request = { method: 'POST', headers, body: JSON.stringify({ skill }) }
  const answer = await askByHost(endpoint, executeUrl(), request)
  const callId = stringOf(answer.json(), 'callId')
  let line = ''
  const look = async () => {
    // A line that is written behind the answer comes with those of the next invocation.
    await askByHost(endpoint, executeUrl())
    const { events } = await ask('FilterLogEvents', { logGroupName: writtenGroup })
    const lines = recordsOf(events).map((event) => stringOf(event, 'message'))
    line = lines.find((one) => one.includes('"event":"call"') && one.includes(callId)) ?? ''
    return line
  }
  await expect.poll(look, WITHIN).not.toBe('')
  if (writtenGroup !== stageGroup) await write(line, Date.now())
  return line
}

async function write(message: string, timestamp: number): Promise<void> {
  const logEvents = [{ message, timestamp }]
  await ask('PutLogEvents', { logGroupName: stageGroup, logStreamName, logEvents })
}

function run(line: string, options: ShellOptions = {}): Promise<CommandOutcome> {
  const read = readCommand(line.split(' '), [LOGS_COMMAND])
  if (!read.ok || read.value.kind !== 'run') throw new Error(`not a command: ${line}`)
  const { invocation } = read.value
  return runIn((shell) => LOGS_COMMAND.run({ ...invocation, shell }, []), { ...options, env })
}

function callIdsOf(text: string): readonly unknown[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => readJsonObject(line)['callId'])
}

const why = whyNot(emulator.name, 'names a log group after its stack')
describe.skipIf(why)(`skillgate logs${why}`, () => {
  test('logs finds calls of the deployed function by their user, time and outcome', async () => {
    const [settled, refunded] = [await lineOfCall(healthTool), await lineOfCall(missingTool)]
    const [first, second] = callIdsOf(`${settled}\n${refunded}`)
    await write(settled.replace(String(first), 'an-hour-ago'), Date.now() - HOUR_MS)
    const found = async (more: string) => {
      const asked = `logs --stage emulated --user ${user.uid} --json ${more}`
      const { code, err, out } = await run(asked)
      expect([code, err]).toEqual([0, ''])
      return callIdsOf(out)
    }
    expect(await found('--since 2h')).toEqual(['an-hour-ago', first, second])
    expect(await found('--since 30m')).toEqual([first, second])
    expect(await found('--since 30m --outcome settled')).toEqual([first])
    expect(await found('--since 30m --outcome upstream_failed')).toEqual([second])
    expect(await found(`--since 30m --skill ${missingTool}`)).toEqual([second])
    expect(await found('--since 30m --outcome refused')).toEqual([])
  })

  test('logs --follow prints a call that ends meanwhile, once, until it is stopped', async () => {
    const stop = new AbortController()
    let printed = ''
    const following = run(`logs --stage emulated --user ${user.uid} --follow`, {
      signal: stop.signal,
      onOut: (text) => {
        printed += text
      },
    })
    const [first] = callIdsOf(await lineOfCall(healthTool))
    await expect.poll(() => printed, WITHIN).toContain(first)
    // The look that finds it reads the seconds of the first one again.
    const [second] = callIdsOf(await lineOfCall(missingTool))
    await expect.poll(() => printed, WITHIN).toContain(second)
    stop.abort()
    await expect(following).rejects.toThrow('aborted')
    const shown = printed.trimEnd().split('\n')
    expect(shown.map((line) => line.split(' ').at(-1))).toEqual([first, second])
  })
})
