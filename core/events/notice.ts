/**
 * An event as words for people: a subject of one line and some lines of text, for mail and Slack.
 * Names in it come from users, so each is one line without control characters; the writers of HTML
 * and of Slack's markup escape what these read as markup. Bound by docs/notices.md.
 */
import type { EventRecord } from './event.ts'

export type Notice = {
  /** At most SUBJECT_CHARS_MAX characters, without line breaks. */
  readonly subject: string
  /** What happened, then what to do. */
  readonly lines: readonly string[]
}

/** Shorter than the 78 characters of RFC 5322, so that no mail program folds it. */
export const SUBJECT_CHARS_MAX = 76
/** Characters of a name or number in a notice. */
export const NOTICE_VALUE_CHARS_MAX = 100

export function writeNotice({ data, type }: Pick<EventRecord, 'data' | 'type'>): Notice {
  const value = (name: string) =>
    toOneLine(String(data[name] ?? '')).slice(0, NOTICE_VALUE_CHARS_MAX)
  const notice = NOTICES[type](value)
  return { ...notice, subject: notice.subject.slice(0, SUBJECT_CHARS_MAX) }
}

const NOTICES: {
  readonly [type in EventRecord['type']]: (value: (name: string) => string) => Notice
} = {
  low_balance: (value) => ({
    subject: `Skillgate: ${value('uid')} has ${value('balance')} credits left`,
    lines: [
      `The balance of ${value('uid')} is ${value('balance')} credits. It is low at ${value('threshold')} or below.`,
      'Calls that cost more than the balance are refused.',
      `To give credits: skillgate credits grant ${value('uid')} AMOUNT`,
      `To see what was spent: skillgate credits ledger ${value('uid')}`,
    ],
  }),
  budget_reached: (value) => ({
    subject: `Skillgate: ${value('uid')} has spent the budget of ${value('month')}`,
    lines: [
      `${describeOwner(value)} has spent ${value('spent')} of ${value('limit')} credits in ${value('month')}.`,
      `Calls that cost credits are refused until ${value('renewsOn')}.`,
      `To allow more this month: ${writeLimitCommand(value)} --monthly-budget N`,
    ],
  }),
  daily_calls_reached: (value) => ({
    subject: `Skillgate: a key of ${value('uid')} has made its calls of ${value('day')}`,
    lines: [
      `${describeOwner(value)} has made ${value('calls')} of ${value('limit')} calls on ${value('day')}.`,
      `Its calls are refused until ${value('renewsOn')}.`,
      `To allow more: ${writeLimitCommand(value)} --calls-per-day N`,
    ],
  }),
  tool_failing: (value) => ({
    subject: `Skillgate: ${value('skillId')} fails for everybody`,
    lines: [
      `${value('failed')} of ${value('calls')} calls of ${value('skillId')} failed at its upstream between ${value('from')} and ${value('until')}, for ${value('users')} users.`,
      `The most frequent reason is ${value('reason')}. Failed calls cost nothing.`,
      `To see the calls: skillgate calls ls --skill ${value('skillId')}`,
      'You are told once, and again when the tool works.',
    ],
  }),
  tool_recovered: (value) => ({
    subject: `Skillgate: ${value('skillId')} works again`,
    lines: [
      `${value('settled')} of ${value('calls')} calls of ${value('skillId')} succeeded between ${value('from')} and ${value('until')}.`,
    ],
  }),
  test: (value) => ({
    subject: 'Skillgate: a test of its notices',
    lines: [
      value('message'),
      'This target gets the notices of the gateway. There is nothing to do.',
    ],
  }),
}

function describeOwner(value: (name: string) => string): string {
  const keyId = value('keyId')
  return keyId === '' ? `The user ${value('uid')}` : `The key ${keyId} of ${value('uid')}`
}

/** The command that changes the limits of the key, or of the user whose budget it is. */
function writeLimitCommand(value: (name: string) => string): string {
  const keyId = value('keyId')
  return keyId === ''
    ? `skillgate users set ${value('uid')}`
    : `skillgate keys set ${value('uid')} ${keyId}`
}

/** Line breaks would begin a header in a mail; other control characters hide text. */
function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').toWellFormed()
}
