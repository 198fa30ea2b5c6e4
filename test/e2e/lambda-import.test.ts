/**
 * Functions of an account become tools from the command line: import, push, and the check of
 * doctor, against a stand-in of AWS that verifies signatures.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  CREDENTIALS,
  type LambdaStandIn,
  lambdaError,
  startLambdaStandIn,
} from '../adapters/upstream/lambda-stand-in.ts'
import { postJson } from './http.ts'
import { startTwin, type Twin } from './twin.ts'
import { runAtTwin } from './twin-shell.ts'

const arnOf = (name: string) => `arn:aws:lambda:eu-west-1:111122223333:function:${name}`

let standIn: LambdaStandIn
let twin: Twin
let home = ''

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-lambda-'))
  standIn = await startLambdaStandIn()
  const env = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_SESSION_TOKEN: CREDENTIALS.sessionToken,
    AWS_ENDPOINT_URL_LAMBDA: standIn.endpoint.href,
  }
  twin = await startTwin(['--memory'], { env })
})

afterAll(async () => {
  await twin?.stop()
  await standIn?.close()
  rmSync(home, { recursive: true, force: true })
})

const line = (text: string) => runAtTwin(twin, home, text)
const IMPORT = '--tag team=shop --credits 0.5 --qualifier live'

function haveFunctions(...functions: readonly { name: string; event?: string }[]): void {
  const list = functions.map(({ event, name }) => ({
    ResourceARN: arnOf(name),
    Tags: [
      { Key: 'team', Value: 'shop' },
      { Key: 'skillgate:description', Value: `Shows ${name}.` },
      ...(event === undefined ? [] : [{ Key: 'skillgate:event', Value: event }]),
    ],
  }))
  standIn.tagAnswers = [{ body: JSON.stringify({ ResourceTagMappingList: list }) }]
}

test('the functions with a tag are planned, imported once, and called by their alias', async () => {
  const functions = [
    { name: 'orders', event: 'id:string' },
    { name: 'bad', event: 'id:text' },
  ]
  haveFunctions(...functions)
  const planned = await line(`import lambda plan ${IMPORT}`)
  expect(planned.code).toBe(0)
  expect(planned.out).toContain('2 functions carry the tag; 1 skills')
  expect(planned.out).toContain(`left out: ${arnOf('bad')}: Its tag skillgate:event has id:text`)
  expect(planned.out).toMatch(/\+ +sg_orders/)
  haveFunctions(...functions)
  expect((await line(`import lambda apply ${IMPORT}`)).code).toBe(0)
  haveFunctions(...functions)
  const again = await line(`import lambda apply ${IMPORT} --json`)
  expect(JSON.parse(again.out)).toMatchObject({ functions: 2, set: { changes: 0 } })
  standIn.answer = () => ({ body: '{"state":"sent"}' })
  const called = await line('call sg_orders id=o-1')
  expect(called.out).toContain('"state":"sent"')
  expect(standIn.invoked.at(-1)).toMatchObject({
    functionName: arnOf('orders'),
    qualifier: 'live',
    event: '{"id":"o-1"}',
  })
  const shown = await line('skills show sg_orders')
  expect(shown.out).toContain(`function ${arnOf('orders')}:live`)
})

test('doctor tells whether the functions of skills may be invoked, and runs none', async () => {
  standIn.invoked.length = 0
  standIn.answer = () => ({ status: 204 })
  const fine = await line('doctor')
  expect(fine.out).toMatch(/ok +functions +the gateway may invoke those of 1 skills/)
  expect(standIn.invoked.map(({ type }) => type)).toEqual(['DryRun'])
  standIn.answer = () => lambdaError(403, 'AccessDeniedException')
  const wrong = await line('doctor')
  expect(wrong.code).toBe(1)
  expect(wrong.out).toContain(`lacks lambda:InvokeFunction on ${arnOf('orders')}:live`)
})

test('doctor checks 20 functions, and says so if there are more', async () => {
  const push = async (count: number) => {
    const skills = Array.from({ length: count }, (_, index) => ({
      id: `sg_many${index}`,
      meta: {
        name: 'Many',
        description: 'One of many.',
        parameters: { type: 'object', properties: {} },
      },
      config: { lambda: { function: `many${index}` } },
      credits_per_call: 0,
    }))
    const headers = { 'x-admin-key': twin.adminKey }
    const pushed = await postJson(`${twin.admin}/skills:apply?set=many`, skills, headers)
    expect(pushed.status).toBe(200)
  }
  standIn.answer = () => ({ status: 204 })
  // One more is there already.
  await push(19)
  expect((await line('doctor')).out).toContain('those of 20 skills')
  await push(20)
  standIn.invoked.length = 0
  expect((await line('doctor')).out).toContain('those of 20 first skills')
  expect(standIn.invoked).toHaveLength(20)
})

test('an import without the right to find functions says which permission is missing', async () => {
  standIn.tagAnswers = [lambdaError(400, 'AccessDeniedException')]
  const refused = await line(`import lambda plan ${IMPORT}`)
  expect(refused.code).not.toBe(0)
  expect(refused.err).toContain('tag:GetResources')
})

test('an import without its options names them', async () => {
  const refused = await line('import lambda plan --tag team=shop')
  expect(refused.code).not.toBe(0)
  expect(refused.err).toContain('--tag and --credits are needed')
})
