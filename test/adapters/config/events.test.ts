/** The variables of events: each refusal names its variable and the remedy, and each limit is met. */
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../adapters/config/env.ts'

type Variables = Readonly<Record<string, string>>

const SECRET: Variables = { EVENTS_SECRET_ID: 'skillgate/events' }
const ROLE: Variables = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'ASIAX',
  AWS_SECRET_ACCESS_KEY: 's',
}
const A_TARGET =
  'give an https URL, bus:NAME for an event bus (its name or ARN), email:ADDRESS, or slack:SECRET, each with the types of events it takes behind it unless it takes all'
const AN_ID = 'give the name or ARN of a secret'

function targetFrom(env: Variables) {
  const config = readConfig(env, ['eventTargets'])
  return config.ok ? config.value.eventTargets : config.error
}

function eventsFrom(env: Variables) {
  const config = readConfig(env, ['settings'])
  return config.ok ? config.value.settings.events : config.error
}

const webhook = (chars: number) => `https://${'h'.repeat(chars)}`
const bus = (chars: number) => `bus:${'b'.repeat(chars)}`

describe('EVENTS_TARGETS', () => {
  test.each([{}, { EVENTS_TARGETS: '' }])('no target in %j sends events nowhere', (env) => {
    expect(targetFrom(env)).toMatchObject({ targets: [], secretId: undefined, signing: undefined })
  })

  test('a webhook is a URL and the id of its secret, and needs no credentials', () => {
    const env = { EVENTS_TARGETS: 'https://hook.example/events?tenant=1', ...SECRET }
    const url = 'https://hook.example/events?tenant=1'
    expect(targetFrom(env)).toMatchObject({
      targets: [{ kind: 'webhook', url, types: undefined }],
      secretId: 'skillgate/events',
      signing: undefined,
    })
  })

  test.each(['alerts', 'arn:aws:events:eu-central-1:123456789012:event-bus/alerts'])(
    'the bus %s is sent to with the credentials of the function, and needs no secret',
    (name) => {
      expect(targetFrom({ EVENTS_TARGETS: `bus:${name}`, ...ROLE })).toMatchObject({
        targets: [{ kind: 'bus', bus: name }],
        signing: {
          region: 'eu-central-1',
          credentials: { accessKeyId: 'ASIAX', secretAccessKey: 's', sessionToken: undefined },
        },
      })
    },
  )

  test.each([
    'ftp://hook.example',
    'hook.example',
    'https://ada:key@hook.example',
    'https://hook.example/a b',
    'https://[',
    'bus:',
    'bus:two words',
  ])('the target %s is refused with both forms', (text) => {
    expect(targetFrom({ EVENTS_TARGETS: text, ...SECRET, ...ROLE })).toEqual([
      `EVENTS_TARGETS: is "${text}"; ${A_TARGET}`,
    ])
  })

  test('a URL may have 2000 characters behind its scheme, and the name of a bus 256', () => {
    // A host may be as long as in any URL. Whether it has an address shows at the first delivery.
    expect(targetFrom({ EVENTS_TARGETS: webhook(2_000), ...SECRET })).toMatchObject({
      targets: [{ kind: 'webhook' }],
    })
    expect(targetFrom({ EVENTS_TARGETS: bus(256), ...ROLE })).toMatchObject({
      targets: [{ kind: 'bus' }],
    })
    for (const text of [webhook(2_001), bus(257)]) {
      expect(targetFrom({ EVENTS_TARGETS: text, ...SECRET, ...ROLE })).toEqual([
        `EVENTS_TARGETS: is "${text.slice(0, 80)}"; ${A_TARGET}`,
      ])
    }
  })

  test('a bus without the credentials of a function is refused with all that is missing', () => {
    expect(targetFrom({ EVENTS_TARGETS: 'bus:alerts' })).toEqual([
      'AWS_REGION: is missing; give a region such as eu-central-1',
      'AWS_ACCESS_KEY_ID: is missing; give the secret',
      'AWS_SECRET_ACCESS_KEY: is missing; give the secret',
    ])
  })
})

describe('several targets', () => {
  const MAIL = 'email:ops@example.com low_balance tool_failing'
  const MANY = `https://hook.example/a,${MAIL},slack:skillgate/slack,bus:alerts`

  test('each has a name without the path of its URL, and the types that it takes', () => {
    const env = { EVENTS_TARGETS: MANY, EVENTS_FROM: 'gateway@example.com', ...SECRET, ...ROLE }
    expect(targetFrom(env)).toMatchObject({
      from: 'gateway@example.com',
      secretId: 'skillgate/events',
      targets: [
        { name: expect.stringMatching(/^webhook:hook\.example:[0-9a-f]{8}$/), types: undefined },
        { kind: 'email', to: 'ops@example.com', types: ['low_balance', 'tool_failing'] },
        { kind: 'slack', secret: 'skillgate/slack', name: 'slack:skillgate/slack' },
        { kind: 'bus', bus: 'alerts' },
      ],
    })
  })

  test('10 are taken, and 11 refused', () => {
    const targets = (count: number) =>
      Array.from({ length: count }, (_, n) => `https://hook.example/${n}`).join(',')
    expect(targetFrom({ EVENTS_TARGETS: targets(10), ...SECRET })).toMatchObject({
      secretId: 'skillgate/events',
    })
    expect(targetFrom({ EVENTS_TARGETS: targets(11), ...SECRET })).toEqual([
      'EVENTS_TARGETS: has 11 entries; give at most 10',
    ])
  })

  test.each([
    'email:ops@example.com no_such_type',
    'email:ops',
    'email:a\r\nBcc:x@example.com',
    'email:<ops@example.com>',
    'slack:https://hooks.slack.com/services/T/B/x?y',
    'slack:',
  ])('the target %j is refused', (text) => {
    expect(targetFrom({ EVENTS_TARGETS: text, ...SECRET, ...ROLE })).toEqual([
      `EVENTS_TARGETS: is ${JSON.stringify(text)}; ${A_TARGET}`,
    ])
  })
})

describe('EVENTS_SECRET_ID', () => {
  const EVENTS_TARGETS = 'https://hook.example/'

  test('a webhook without the id of its secret is refused', () => {
    expect(targetFrom({ EVENTS_TARGETS })).toEqual([`EVENTS_SECRET_ID: is missing; ${AN_ID}`])
  })

  test('the id of a secret has 2048 characters at most', () => {
    const id = 's'.repeat(2_048)
    expect(targetFrom({ EVENTS_TARGETS, EVENTS_SECRET_ID: id })).toMatchObject({ secretId: id })
    expect(targetFrom({ EVENTS_TARGETS, EVENTS_SECRET_ID: `${id}s` })).toEqual([
      `EVENTS_SECRET_ID: is "${'s'.repeat(80)}"; ${AN_ID}`,
    ])
  })

  test('the id of a secret that holds the secret itself is refused', () => {
    expect(targetFrom({ EVENTS_TARGETS, EVENTS_SECRET_ID: '{"current":"x"}' })).toEqual([
      `EVENTS_SECRET_ID: is ${JSON.stringify('{"current":"x"}')}; ${AN_ID}`,
    ])
  })
})

describe('EVENTS and LOW_BALANCE', () => {
  test('no events are recorded unless EVENTS is on, and a balance is low at 0 unless told', () => {
    expect(eventsFrom({})).toBeUndefined()
    expect(eventsFrom({ EVENTS: 'off', LOW_BALANCE: '5' })).toBeUndefined()
    expect(eventsFrom({ EVENTS: 'on' })).toEqual({ lowBalance: 0 })
  })

  test.each([
    ['0', 0],
    ['2.5', 2_500_000],
    ['0.000001', 1],
    ['99999999.999999', 99_999_999_999_999],
    ['100000000', 100_000_000_000_000],
  ])('the low balance %s is %i micro-credits', (text, lowBalance) => {
    expect(eventsFrom({ EVENTS: 'on', LOW_BALANCE: text })).toEqual({ lowBalance })
  })

  test.each(['100000000.000001', '1000000000', '0.0000001', '-1', '1e3', 'five', '.5', ' 5'])(
    'the low balance %j is refused with its range, even where no events are recorded',
    (text) => {
      const fault = `LOW_BALANCE: is "${text}"; give credits from 0 to 100000000 with at most 6 decimals`
      expect(eventsFrom({ EVENTS: 'on', LOW_BALANCE: text })).toEqual([fault])
      expect(eventsFrom({ LOW_BALANCE: text })).toEqual([fault])
    },
  )

  test('another word than on and off is refused', () => {
    expect(eventsFrom({ EVENTS: 'yes' })).toEqual(['EVENTS: is "yes"; give on or off'])
  })
})
