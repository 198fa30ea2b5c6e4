/** Decides whether a stage fits an account: takes facts, returns lines for a person. */
import { getAlarmAddress, NO_ALARM_MAIL } from '../../../lib/alarm-address.ts'
import type { Stage } from '../../../lib/stage.ts'
import { isForUsers, listStageWarnings, NO_MAIL } from '../../../lib/stage-warnings.ts'
import {
  describeConcurrency,
  findQuotaWarnings,
  findShareFaults,
  judgeReservations,
} from './concurrency.ts'
import type { AccountFacts } from './facts.ts'
import { judgeRegion, REGIONS_READ } from './regions.ts'
import { findStackFaults } from './stacks.ts'

export type Verdict = {
  /** Names and values, for a table. */
  readonly facts: readonly (readonly [string, string])[]
  /** Reasons why the deploy would fail or serve badly, each with its remedy. */
  readonly faults: readonly string[]
  /** Reasons that allow a deploy but should be mended, each with its remedy. */
  readonly warnings: readonly string[]
}

export function assessStage(account: AccountFacts, stage: Stage): Verdict {
  const reservations = judgeReservations(account, stage)
  return {
    facts: [
      ['account', `${account.account} as ${account.caller}`],
      ['region', account.region],
      ['stage', stage.name],
      ['bootstrap', describeBootstrap(account)],
      ...describeConcurrency(account, stage),
      ['API logs', describeLogRole(account, stage)],
    ],
    faults: [
      ...findRegionFaults(account),
      ...findBootstrapFaults(account),
      ...findUrlFaults(account),
      ...findStackFaults(account),
      ...findShareFaults(account, stage),
      ...reservations.faults,
      ...findLogRoleFaults(account, stage),
      ...findReceiverFaults(stage),
    ],
    warnings: [
      ...findRegionWarnings(account),
      ...findUnknownWarnings(account, stage),
      ...findQuotaWarnings(account, stage),
      ...reservations.warnings,
      ...findReceiverWarnings(account, stage),
      ...findMailWarnings(account, stage),
      // Here it is a fault, because a deploy for users follows.
      ...listStageWarnings(stage).flatMap((warning) => (warning === NO_MAIL ? [] : [warning.text])),
    ],
  }
}

function findRegionFaults({ region }: AccountFacts): readonly string[] {
  if (judgeRegion(region) !== 'without-urls') return []
  return [
    `region: ${region} has no function URLs (AWS's list of ${REGIONS_READ}), and agents reach the stage by them. Deploy to another region.`,
  ]
}

function findRegionWarnings({ region }: AccountFacts): readonly string[] {
  if (judgeRegion(region) !== 'unknown') return []
  return [
    `region: it is not known whether ${region} has function URLs and response streaming (lists of ${REGIONS_READ}). Look it up at https://builder.aws.com/build/capabilities before you deploy.`,
  ]
}

/** The least version of the bootstrap stack that templates of this app need. */
const BOOTSTRAP_MIN = 6

function describeBootstrap({ bootstrapVersion }: AccountFacts): string {
  if (bootstrapVersion.kind === 'unknown') return 'unknown'
  return bootstrapVersion.value === 0 ? 'none' : `version ${bootstrapVersion.value}`
}

function findBootstrapFaults(facts: AccountFacts): readonly string[] {
  const { account, bootstrapVersion, otherBootstraps, region: own } = facts
  const all = [{ region: own, version: bootstrapVersion }, ...otherBootstraps]
  return all.flatMap(({ region, version }) => {
    if (version.kind === 'unknown' || version.value >= BOOTSTRAP_MIN) return []
    const place = region === own ? 'this account and region have none' : `${region} has none`
    const has =
      version.value === 0
        ? place
        : `${region === own ? '' : `${region} `}is version ${version.value}, and a deploy needs ${BOOTSTRAP_MIN} or later`
    return [`bootstrap: ${has}. Run: npx cdk bootstrap aws://${account}/${region}`]
  })
}

function findUrlFaults({ urlDenial }: AccountFacts): readonly string[] {
  if (urlDenial.kind === 'unknown' || urlDenial.value === undefined) return []
  return [
    `public URLs: are denied, and agents reach the stage by function URLs with AuthType NONE. Ask whoever keeps the policies of your organization to allow lambda:CreateFunctionUrlConfig with it. ${urlDenial.value}`,
  ]
}

/** Warns of checks that could not be made; a stage without reservations needs not all of them. */
function findUnknownWarnings(account: AccountFacts, stage: Stage): readonly string[] {
  const { bootstrapVersion, mailSender, stacks, unconfirmedMails, urlDenial } = account
  const checks = [
    ['bootstrap', 'the version of the bootstrap stack', bootstrapVersion],
    ...account.otherBootstraps.map(
      ({ region, version }) =>
        ['bootstrap', `the version of the bootstrap stack in ${region}`, version] as const,
    ),
    ['public URLs', 'whether they are denied', urlDenial],
    ['stack', "the state of the stage's stacks", stacks],
    ...(mailSender === undefined
      ? []
      : [['eventsFrom', 'whether SES has verified the sender', mailSender] as const]),
    ...listReceivers(stage).map(
      ({ field }) => [field, 'whether the address is confirmed', unconfirmedMails] as const,
    ),
  ] as const
  return checks.flatMap(([name, what, learned]) =>
    learned.kind === 'unknown' ? [`${name}: ${what} could not be read: ${learned.why}`] : [],
  )
}

function findReceiverFaults(stage: Stage): readonly string[] {
  if (!isForUsers(stage) || stage.alarmEmail !== undefined) return []
  return [
    `alarmEmail: is not set, so alarms reach nobody. Set it to an address, or to "${NO_ALARM_MAIL}" if somebody watches the alarms in another way.`,
  ]
}

/** The addresses to which the stage sends mails, with the outputs that name their topics. */
function listReceivers(stage: Stage) {
  const receivers = [
    { field: 'alarmEmail', address: getAlarmAddress(stage), topic: 'AlarmTopicArn' },
    { field: 'pageEmail', address: stage.pageEmail, topic: 'PageTopicArn' },
  ]
  return receivers.flatMap(({ address, field, topic }) =>
    address === undefined ? [] : [{ field, address, topic }],
  )
}

function findReceiverWarnings({ unconfirmedMails }: AccountFacts, stage: Stage): readonly string[] {
  if (unconfirmedMails.kind === 'unknown') return []
  return listReceivers(stage).flatMap(({ address, field, topic }) =>
    unconfirmedMails.value.includes(address)
      ? [
          `${field}: ${address} gets no alarms, because it has not confirmed the subscription or has ended it. Open the link in the mail "AWS Notification - Subscription Confirmation"; to get the mail again, run: aws sns subscribe --protocol email --notification-endpoint ${address} --topic-arn ARN, with ${topic} of the stack Skillgate-${stage.name}-Watch.`,
        ]
      : [],
  )
}

/** A warning: the stage serves, and an event waits six hours for somebody who verifies. */
function findMailWarnings(
  { mailSender, region }: AccountFacts,
  { eventsFrom = '' }: Stage,
): readonly string[] {
  if (mailSender === undefined || mailSender.kind === 'unknown') return []
  const { isUnverified, refused } = mailSender.value
  const create = `aws sesv2 create-email-identity --region ${region} --email-identity`
  const sender = `eventsFrom: SES has verified neither ${eventsFrom} nor its domain in ${region}, so it sends no mail about events. Run: ${create} ${eventsFrom}, and open the link in the mail that comes.`
  const recipients = refused.map(
    (to) =>
      `eventTargets: ${to} gets no mail, because the account is in the sandbox of SES (${region}), which mails verified addresses alone. Ask for production access in the console of SES, or run: ${create} ${to}`,
  )
  return [...(isUnverified ? [sender] : []), ...recipients]
}

function describeLogRole({ apiLogRole }: AccountFacts, stage: Stage): string {
  if (stage.apiLogRole === 'keep') return apiLogRole ?? 'the account has no role'
  if (apiLogRole === undefined) return 'the account has no role; the deploy makes one'
  return `by ${apiLogRole}; a first deploy sets its own unless apiLogRole is keep`
}

function findLogRoleFaults({ apiLogRole }: AccountFacts, stage: Stage): readonly string[] {
  if (stage.apiLogRole === 'create' || apiLogRole !== undefined) return []
  return [
    'apiLogRole: is keep, and API Gateway has no role to log by in this account. Set it to create in skillgate.config.json.',
  ]
}
