/** Preflight's verdict on a stage and an account. */
import { describe, expect, test } from 'vitest'
import type { AccountFacts } from '../../../../cli/clone/preflight/facts.ts'
import { assessStage } from '../../../../cli/clone/preflight/verdict.ts'
import type { Stage } from '../../../../lib/stage.ts'
import { getStage } from '../../../../lib/stages.ts'
import { synthesize } from '../../../lib/synthesized.ts'

const known = <T>(value: T) => ({ kind: 'known', value }) as const
const DENIED = {
  kind: 'unknown',
  why: 'lambda: https://lambda.eu-central-1.amazonaws.com answered 403: no right',
} as const

const FRESH: AccountFacts = {
  account: '111111111111',
  caller: 'arn:aws:iam::111111111111:user/ada',
  region: 'eu-central-1',
  concurrency: 10,
  unreserved: 10,
  apiLogRole: undefined,
  stacks: known([]),
  ownReserved: known(0),
  bootstrapVersion: known(21),
  otherBootstraps: [],
  urlDenial: known(undefined),
  unconfirmedMails: known([]),
  mailSender: undefined,
}

const GROWN: AccountFacts = { ...FRESH, concurrency: 1000, unreserved: 1000 }
const DEV = getStage('dev')
const PROD: Stage = { ...getStage('prod'), alarmEmail: 'none' }
const SYNTHESIZED = synthesize(PROD).assembly

test('preflight shows the account, its quota and the streams that the stage may have open', () => {
  expect(assessStage(FRESH, DEV)).toEqual({
    facts: [
      ['account', '111111111111 as arn:aws:iam::111111111111:user/ada'],
      ['region', 'eu-central-1'],
      ['stage', 'dev'],
      ['bootstrap', 'version 21'],
      ['concurrency', '10 at once, of which 10 are not reserved'],
      ['streams', '7 at once, those of sse and mcp together: 70 % of sseConcurrency (10)'],
      [
        'calls',
        '3 executions are left beside open streams; a call over HTTP+SSE takes 2 (sse, messages), so 1 at a time',
      ],
      ['reservations', 'none: doors share what the account has'],
      ['reservable', 'none: the account is too small for reservations'],
      ['API logs', 'the account has no role; the deploy makes one'],
    ],
    faults: [],
    warnings: [],
  })
})

test('preflight refuses a stage that gives sse more than the account has, and takes one that gives it all', () => {
  const bare: Stage = { ...PROD, reservedConcurrency: undefined }
  expect(assessStage({ ...FRESH, concurrency: 99, unreserved: 99 }, bare).faults).toEqual([
    'sseConcurrency: is 100, and the account has 99: streams would leave calls no room. Lower it in skillgate.config.json, or ask for more "Concurrent executions" of Lambda in Service Quotas (eu-central-1).',
  ])
  expect(assessStage({ ...FRESH, concurrency: 100, unreserved: 100 }, bare).faults).toEqual([])
})

describe('reservations', () => {
  const wanting = (execute: number): Stage => ({
    ...DEV,
    reservedConcurrency: { sse: 10, execute },
  })

  test('are shown by door and in all', () => {
    expect(assessStage(GROWN, wanting(20)).facts).toContainEqual([
      'reservations',
      'sse 10, execute 20: 30 in all',
    ])
  })

  test('that the account could take are shown, and those of prod fit a quota of 1,000', () => {
    const { facts, faults } = assessStage(GROWN, PROD)
    expect(facts).toContainEqual([
      'reservable',
      'sse 100, messages 100, mcp 340, execute 170, admin 20: 730 in all fit this account',
    ])
    expect(faults).toEqual([])
  })

  test('fit as long as 100 stay free of any', () => {
    expect(assessStage(GROWN, wanting(890)).faults).toEqual([])
    expect(assessStage(GROWN, wanting(891)).faults).toEqual([
      'reservedConcurrency: takes 901, and at most 900 can be reserved: Lambda keeps 100 of 1000 free of any. Set it to null in skillgate.config.json, or ask for a higher quota.',
    ])
  })

  test('do not fit a fresh account at all', () => {
    expect(assessStage(FRESH, wanting(1)).faults).toEqual([
      'reservedConcurrency: takes 11, and at most 0 can be reserved: Lambda keeps 100 of 10 free of any. Set it to null in skillgate.config.json, or ask for a higher quota.',
    ])
  })

  test('of this stage itself count as free, so that a second deploy of prod fits', () => {
    const deployed = { ...GROWN, unreserved: 270, ownReserved: known(730) }
    expect(assessStage(deployed, PROD)).toMatchObject({ faults: [], warnings: [] })
  })

  test('of other stages count as taken, to the last execution', () => {
    const beside = (others: number) => ({
      ...GROWN,
      unreserved: 270 - others,
      ownReserved: known(730),
    })
    expect(assessStage(beside(170), PROD).faults).toEqual([])
    expect(assessStage(beside(171), PROD).faults).toEqual([
      'reservedConcurrency: takes 730, and at most 729 can be reserved: other functions of the account have 171, and Lambda keeps 100 of 1000 free of any. Set it to null in skillgate.config.json, or ask for a higher quota.',
    ])
    expect(assessStage(beside(170), PROD).facts).toContainEqual([
      'reservable',
      'sse 100, messages 100, mcp 255, execute 127, admin 20: 602 in all fit beside the 170 of other functions',
    ])
    expect(assessStage(beside(850), PROD).facts).toContainEqual([
      'reservable',
      'none beside the 850 of other functions',
    ])
  })

  test('that another stage took before the first deploy are refused', () => {
    const other = { ...GROWN, unreserved: 270 }
    expect(assessStage(other, PROD).faults).toEqual([
      'reservedConcurrency: takes 730, and at most 170 can be reserved: other functions of the account have 730, and Lambda keeps 100 of 1000 free of any. Set it to null in skillgate.config.json, or ask for a higher quota.',
    ])
  })

  describe('reservations behind a refusal', () => {
    const hidden = { ...GROWN, ownReserved: DENIED }

    test('warn if they decide whether the stage fits', () => {
      expect(assessStage({ ...hidden, unreserved: 270 }, PROD)).toMatchObject({
        faults: [],
        warnings: [
          "reservedConcurrency: takes 730, which fits only if at least 560 of the 730 that are reserved now are this stage's own; they could not be read: lambda: https://lambda.eu-central-1.amazonaws.com answered 403: no right",
        ],
      })
    })

    test('say nothing if the stage fits in any case', () => {
      expect(assessStage(hidden, PROD)).toMatchObject({ faults: [], warnings: [] })
    })

    test('are refused if the stage fits in no case', () => {
      expect(assessStage({ ...FRESH, ownReserved: DENIED }, wanting(1)).faults).toEqual([
        'reservedConcurrency: takes 11, and at most 0 can be reserved: Lambda keeps 100 of 10 free of any. Set it to null in skillgate.config.json, or ask for a higher quota.',
      ])
    })
  })
})

describe('calls that a stage without reservations has room for', () => {
  test.each([
    [
      11,
      '4 executions are left beside open streams; a call over HTTP+SSE takes 2 (sse, messages), so 2 at a time',
    ],
    [
      13,
      '6 executions are left beside open streams; a call over HTTP+SSE takes 2 (sse, messages), so 3 at a time',
    ],
    [
      8,
      '1 execution is left beside open streams; a call over HTTP+SSE takes 2 (sse, messages), so 0 at a time',
    ],
  ])('are counted for an account with %i unreserved executions', (unreserved, says) => {
    expect(assessStage({ ...FRESH, unreserved }, DEV).facts).toContainEqual(['calls', says])
  })
})

describe('the region', () => {
  test('without function URLs is refused', () => {
    expect(assessStage({ ...FRESH, region: 'eu-south-2' }, DEV).faults).toEqual([
      "region: eu-south-2 has no function URLs (AWS's list of 2026-11-27), and agents reach the stage by them. Deploy to another region.",
    ])
  })

  test('that no list names gets a warning', () => {
    expect(assessStage({ ...FRESH, region: 'xx-north-9' }, DEV)).toMatchObject({
      faults: [],
      warnings: [
        'region: it is not known whether xx-north-9 has function URLs and response streaming (lists of 2026-11-27). Look it up at https://builder.aws.com/build/capabilities before you deploy.',
      ],
    })
  })
})

describe('the bootstrap stack', () => {
  const having = (version: number) =>
    assessStage({ ...FRESH, bootstrapVersion: known(version) }, DEV).faults

  test('that is missing or too old is refused, with the command that makes it', () => {
    expect(having(0)).toEqual([
      'bootstrap: this account and region have none. Run: npx cdk bootstrap aws://111111111111/eu-central-1',
    ])
    expect(having(5)).toEqual([
      'bootstrap: is version 5, and a deploy needs 6 or later. Run: npx cdk bootstrap aws://111111111111/eu-central-1',
    ])
    expect(having(6)).toEqual([])
  })

  test('of another region of the stage is refused in the same way', () => {
    const otherBootstraps = [
      { region: 'us-east-1', version: known(0) },
      { region: 'eu-west-1', version: known(5) },
    ]
    expect(assessStage({ ...FRESH, otherBootstraps }, DEV).faults).toEqual([
      'bootstrap: us-east-1 has none. Run: npx cdk bootstrap aws://111111111111/us-east-1',
      'bootstrap: eu-west-1 is version 5, and a deploy needs 6 or later. Run: npx cdk bootstrap aws://111111111111/eu-west-1',
    ])
  })

  test('has at least the version that the templates need', () => {
    const artifacts = SYNTHESIZED.stacks.map(({ manifest }) =>
      Reflect.get(manifest.properties ?? {}, 'requiresBootstrapStackVersion'),
    )
    expect(artifacts).toEqual([6, 6, 6])
  })

  test('that cannot be read gets a warning', () => {
    expect(assessStage({ ...FRESH, bootstrapVersion: DENIED }, DEV)).toMatchObject({
      faults: [],
      warnings: [
        'bootstrap: the version of the bootstrap stack could not be read: lambda: https://lambda.eu-central-1.amazonaws.com answered 403: no right',
      ],
    })
  })
})

describe('the stacks of the stage', () => {
  const having = (status: string, isProtected = false) => {
    const stacks = known([{ name: 'Skillgate-dev-Data', status, isProtected }])
    return assessStage({ ...FRESH, stacks }, DEV).faults
  }

  test.each([
    'CREATE_COMPLETE',
    'UPDATE_COMPLETE',
    'UPDATE_ROLLBACK_COMPLETE',
    'REVIEW_IN_PROGRESS',
    'ROLLBACK_COMPLETE',
    'ROLLBACK_FAILED',
  ])('that are %s take a deploy', (status) => {
    expect(having(status)).toEqual([])
  })

  test.each([
    [
      'UPDATE_IN_PROGRESS',
      'Something else changes it now; wait until that has ended, and run this again.',
    ],
    ['UPDATE_ROLLBACK_FAILED', 'Run: npx cdk rollback Skillgate-dev-Data'],
    ['DELETE_FAILED', 'Look up why in its events, and delete it again.'],
  ])('that are %s are refused, with the remedy', (status, remedy) => {
    expect(having(status)).toEqual([`stack: Skillgate-dev-Data is ${status}. ${remedy}`])
  })

  test.each(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'])(
    'that are %s and protected are refused, since the CDK could not replace them',
    (status) => {
      expect(having(status, true)).toEqual([
        `stack: Skillgate-dev-Data is ${status}. Its first create failed, and it is protected from the delete that has to come first. Run: aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name Skillgate-dev-Data`,
      ])
    },
  )

  test('that cannot be read get a warning', () => {
    expect(assessStage({ ...FRESH, stacks: DENIED }, DEV).warnings).toEqual([
      "stack: the state of the stage's stacks could not be read: lambda: https://lambda.eu-central-1.amazonaws.com answered 403: no right",
    ])
  })
})

describe('public URLs', () => {
  test('that a policy of the organization denies are refused', () => {
    const urlDenial = known('lambda: answered 403: with an explicit deny')
    expect(assessStage({ ...FRESH, urlDenial }, DEV).faults).toEqual([
      'public URLs: are denied, and agents reach the stage by function URLs with AuthType NONE. Ask whoever keeps the policies of your organization to allow lambda:CreateFunctionUrlConfig with it. lambda: answered 403: with an explicit deny',
    ])
  })

  test('get a warning if the question is not answered', () => {
    expect(assessStage({ ...FRESH, urlDenial: DENIED }, DEV)).toMatchObject({
      faults: [],
      warnings: [
        'public URLs: whether they are denied could not be read: lambda: https://lambda.eu-central-1.amazonaws.com answered 403: no right',
      ],
    })
  })
})

describe('the receiver of alarms', () => {
  const budget = { monthlyBudgetUsd: 100 }
  const having = (alarmEmail: string | undefined): Stage => ({ ...getStage('prod'), alarmEmail })

  test('of a stage for users must be named, or be none', () => {
    expect(assessStage(GROWN, having(undefined)).faults).toEqual([
      'alarmEmail: is not set, so alarms reach nobody. Set it to an address, or to "none" if somebody watches the alarms in another way.',
    ])
    expect(assessStage(GROWN, having('none'))).toMatchObject({ faults: [], warnings: [] })
    expect(assessStage(GROWN, having('ada@example.com')).faults).toEqual([])
  })

  test('of a stage for trials may be nobody', () => {
    expect(assessStage(FRESH, DEV).faults).toEqual([])
  })

  test('that has not confirmed gets a warning, and another address does not', () => {
    const unconfirmedMails = known(['ada@example.com'])
    const stage = (alarmEmail: string): Stage => ({ ...having(alarmEmail), ...budget })
    expect(assessStage({ ...GROWN, unconfirmedMails }, stage('ada@example.com'))).toMatchObject({
      faults: [],
      warnings: [
        'alarmEmail: ada@example.com gets no alarms, because it has not confirmed the subscription or has ended it. Open the link in the mail "AWS Notification - Subscription Confirmation"; to get the mail again, run: aws sns subscribe --protocol email --notification-endpoint ada@example.com --topic-arn ARN, with AlarmTopicArn of the stack Skillgate-prod-Watch.',
      ],
    })
    expect(assessStage({ ...GROWN, unconfirmedMails }, stage('bob@example.com')).warnings).toEqual(
      [],
    )
  })

  test('of pages gets the warning, too, with the topic of pages', () => {
    const unconfirmedMails = known(['eve@example.com'])
    const stage = { ...having('ada@example.com'), ...budget, pageEmail: 'eve@example.com' }
    const { warnings } = assessStage({ ...GROWN, unconfirmedMails }, stage)
    expect(warnings).toEqual([
      expect.stringMatching(/^pageEmail: eve@example.com gets no alarms.* with PageTopicArn of/),
    ])
  })

  test('gets a warning if nobody can tell, unless there is no address', () => {
    const hidden = { ...GROWN, unconfirmedMails: DENIED }
    expect(assessStage(hidden, { ...having('ada@example.com'), ...budget }).warnings).toEqual([
      'alarmEmail: whether the address is confirmed could not be read: lambda: https://lambda.eu-central-1.amazonaws.com answered 403: no right',
    ])
    expect(assessStage(hidden, having('none')).warnings).toEqual([])
  })
})

describe('the role by which API Gateway logs', () => {
  const arn = 'arn:aws:iam::111111111111:role/logs'

  test('that exists is named, with the setting that keeps it', () => {
    expect(assessStage({ ...FRESH, apiLogRole: arn }, DEV).facts).toContainEqual([
      'API logs',
      `by ${arn}; a first deploy sets its own unless apiLogRole is keep`,
    ])
  })

  test('must exist if the stage keeps it', () => {
    const keep: Stage = { ...DEV, apiLogRole: 'keep' }
    expect(assessStage({ ...FRESH, apiLogRole: arn }, keep).faults).toEqual([])
    expect(assessStage(FRESH, keep).faults).toEqual([
      'apiLogRole: is keep, and API Gateway has no role to log by in this account. Set it to create in skillgate.config.json.',
    ])
  })
})

test('preflight warns when the alarms count against another quota than the account has', () => {
  expect(assessStage(GROWN, DEV).warnings).toEqual([
    'accountConcurrency: is 10, and the account has 1000: the alarms McpFull and AccountFull ring too early. Set it to 1000 in skillgate.config.json.',
  ])
  expect(assessStage({ ...FRESH, concurrency: 9 }, DEV).warnings[0]).toContain(
    'ring too late or never',
  )
})

test('preflight warns of the safety nets that a stage for real users leaves open, and accepts it all the same', () => {
  const { faults, warnings } = assessStage(GROWN, {
    ...getStage('prod'),
    alarmEmail: 'ada@example.com',
  })
  expect(faults).toEqual([])
  expect(warnings.map((text) => text.split(':')[0])).toEqual(['monthlyBudgetUsd'])
})

describe('mail about events', () => {
  const stage: Stage = {
    ...DEV,
    eventTargets: ['email:ops@example.com'],
    eventsFrom: 'gateway@example.com',
  }
  const warningsFor = (mailSender: AccountFacts['mailSender']) =>
    assessStage({ ...FRESH, mailSender }, stage).warnings

  test('warns of a sender that SES has not verified, and of recipients that its sandbox refuses', () => {
    expect(warningsFor(known({ isUnverified: true, refused: ['ops@example.com'] }))).toEqual([
      'eventsFrom: SES has verified neither gateway@example.com nor its domain in eu-central-1, so it sends no mail about events. Run: aws sesv2 create-email-identity --region eu-central-1 --email-identity gateway@example.com, and open the link in the mail that comes.',
      'eventTargets: ops@example.com gets no mail, because the account is in the sandbox of SES (eu-central-1), which mails verified addresses alone. Ask for production access in the console of SES, or run: aws sesv2 create-email-identity --region eu-central-1 --email-identity ops@example.com',
    ])
  })

  test('says nothing of a sender that is verified, and that a refused question is one', () => {
    expect(warningsFor(known({ isUnverified: false, refused: [] }))).toEqual([])
    expect(warningsFor(DENIED)).toEqual([
      `eventsFrom: whether SES has verified the sender could not be read: ${DENIED.why}`,
    ])
  })
})
