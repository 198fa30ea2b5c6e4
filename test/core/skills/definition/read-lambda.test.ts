/** `config.lambda`, as sync checks it. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../core/json/json.ts'
import { faults, good, withConfig } from '../reading.ts'

const ARN = 'arn:aws:lambda:eu-west-1:111122223333:function:orders'

function config(lambda: JsonObject, more: JsonObject = {}): JsonObject {
  const { config: _, ...skill } = withConfig({})
  return { ...skill, config: { lambda, ...more } }
}
const read = (lambda: JsonObject) => good(config(lambda)).skill
const faultsOf = (lambda: JsonObject, more?: JsonObject) => faults(config(lambda, more))

describe('config.lambda', () => {
  test('names a function of the own region, whose event is the arguments', () => {
    const skill = read({ function: 'orders' })
    expect(skill).toMatchObject({
      lambda: { functionName: 'orders' },
      endpoint: 'https://lambda.amazonaws.com/2015-03-31/functions/orders/invocations',
      method: 'POST',
      retries: 0,
      auth: undefined,
      hooks: [],
    })
    expect(skill.body).toBeUndefined()
  })

  test('names a function by its ARN, with an alias and the event as a template', () => {
    const payload = { id: '{{args.id}}', token: '{{secrets.TOKEN}}' }
    const skill = read({ function: ARN, qualifier: 'live', payload, proxy: true })
    expect(skill.lambda).toEqual({ functionName: ARN, qualifier: 'live', isProxy: true })
    expect(skill.endpoint).toBe(
      'https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/' +
        'arn%3Aaws%3Alambda%3Aeu-west-1%3A111122223333%3Afunction%3Aorders/invocations?Qualifier=live',
    )
    expect(skill.body).toEqual({
      kind: 'object',
      members: [
        ['id', { kind: 'text', template: [{ kind: 'arg', name: 'id' }] }],
        ['token', { kind: 'text', template: [{ kind: 'secret', name: 'TOKEN' }] }],
      ],
    })
  })

  test('is stored as it was sent and read again as the same skill', () => {
    const first = good(config({ function: ARN, qualifier: '$LATEST' }))
    expect(first.definition['config']).toEqual({ lambda: { function: ARN, qualifier: '$LATEST' } })
    expect(good(first.definition).skill).toEqual(first.skill)
  })

  test.each([
    ['arn:aws-cn:lambda:cn-north-1:111122223333:function:a', 'lambda.cn-north-1.amazonaws.com.cn'],
    [
      'arn:aws-us-gov:lambda:us-gov-west-1:111122223333:function:a',
      'lambda.us-gov-west-1.amazonaws.com',
    ],
  ])('has the host of the partition of %s', (arn, host) => {
    expect(new URL(read({ function: arn }).endpoint).host).toBe(host)
  })

  test.each([
    ['f'.repeat(64), true],
    ['f'.repeat(65), false],
    ['has space', false],
    ['a.b', false],
    ['', false],
    ['arn:aws:lambda:eu-west-1:11112222333:function:a', false],
    ['arn:aws:lambda:cn-north-1:111122223333:function:a', false],
    ['arn:aws-cn:lambda:eu-west-1:111122223333:function:a', false],
    ['arn:aws:s3:::bucket', false],
    ['111122223333:function:a', false],
    [`arn:aws:lambda:eu-west-1:111122223333:function:${'f'.repeat(64)}`, true],
    [`arn:aws:lambda:eu-west-1:111122223333:function:${'f'.repeat(65)}`, false],
  ])('the function %s is taken: %s', (name, isTaken) => {
    const named = config({ function: name })
    if (isTaken) expect(good(named).skill.lambda?.functionName).toBe(name)
    else
      expect(faults(named)).toEqual([
        expect.stringContaining('/config/lambda/function must be the name of a function'),
      ])
  })

  test('with a qualifier inside the ARN is refused with the field for it', () => {
    expect(faultsOf({ function: `${ARN}:live` })).toEqual([
      `/config/lambda/function ends in a version or an alias; give ${ARN}, and the rest as lambda.qualifier`,
    ])
  })

  test.each([
    ['q'.repeat(128), true],
    ['q'.repeat(129), false],
    ['$LATEST', true],
    ['7', true],
    ['$OTHER', false],
    [7, false],
  ])('the qualifier %s is taken: %s', (qualifier, isTaken) => {
    const named = config({ function: 'orders', qualifier })
    if (isTaken) expect(good(named).skill.lambda?.qualifier).toBe(qualifier)
    else
      expect(faults(named)).toEqual([expect.stringContaining('/config/lambda/qualifier must be')])
  })

  test('refuses each field of a request over HTTP by its name', () => {
    const more = {
      endpoint: 'https://api.example/',
      method: 'GET',
      query: { a: 'b' },
      headers: { 'x-a': 'b' },
      body: { a: 1 },
      body_as: 'json',
      arguments: { a: { in: 'query' } },
      auth: { type: 'bearer', secret: 'TOKEN' },
      plugin_hook: 'xml_to_json',
      task: { max_sec: 60, job: {} },
    }
    const named = faultsOf({ function: 'orders' }, more).map((fault) => fault.split(' ')[0])
    for (const field of Object.keys(more)) {
      expect(named).toContain(field === 'task' ? '/config/task/job' : `/config/${field}`)
    }
  })

  test('may be a task that takes minutes, without a job', () => {
    const { skill } = good(config({ function: 'orders' }, { task: { max_sec: 600 } }))
    expect(skill.task).toEqual({ maxSec: 600, required: false })
  })

  test.each(['{{args.a}}', 'text', 7, true])(
    'refuses the payload %s, which is no object',
    (payload) => {
      expect(faultsOf({ function: 'orders', payload })).toEqual([
        expect.stringContaining('/config/lambda/payload must be an object or a list'),
      ])
    },
  )

  test('names the place of an error in the payload', () => {
    const payload = { deep: ['{{args.}}'] }
    expect(faultsOf({ function: 'orders', payload })).toEqual([
      expect.stringContaining('/config/lambda/payload/deep/0 has the placeholder {{args.}}'),
    ])
  })

  test('without a function says what to send', () => {
    expect(faultsOf({})).toEqual([
      expect.stringContaining('/config/lambda/function is missing; send the name'),
    ])
  })
})
