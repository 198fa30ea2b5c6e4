/**
 * Reads a stack of CloudFormation, and sets its parameters with the template that it has. Sends
 * signed requests; the service answers in XML.
 */
import { type AwsAccount, ServiceError } from '../../aws/ask-service.ts'
import { toQueryRequest } from '../../aws/query-request.ts'

export type Stack = {
  readonly status: string
  readonly parameters: Texts
  readonly outputs: Texts
}

type Texts = { readonly [name: string]: string }

/** Waits for so many ms; rejects when the command is interrupted. */
export type Pause = (ms: number) => Promise<void>

const POLL_MS = 3_000
/** 10 minutes: an update of aliases alone takes half a minute, and one of the CDK some minutes. */
const POLLS_MAX = 200

/** Returns undefined if there is no such stack. */
export async function readStack(account: AwsAccount, name: string): Promise<Stack | undefined> {
  try {
    const form = { Action: 'DescribeStacks', StackName: name }
    return parseStack(await askCloudFormation(account, form))
  } catch (cause) {
    if (cause instanceof ServiceError && cause.message.includes('does not exist')) return undefined
    throw cause
  }
}

/** Polls until nothing changes the stack. Throws an Error if that does not come in 10 minutes. */
export async function awaitStack(account: AwsAccount, name: string, pause: Pause): Promise<Stack> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const stack = await readStack(account, name)
    if (stack === undefined) throw new Error(`${name}: there is no such stack`)
    if (!stack.status.endsWith('_IN_PROGRESS')) return stack
    await pause(POLL_MS)
  }
  throw new Error(`${name}: something else has been changing the stack for 10 minutes`)
}

/**
 * Updates the stack to these values of parameters and waits for its end. The other parameters and
 * the template stay. The stack's own role does the update. Throws an Error if the update fails.
 */
export async function setParameters(
  account: AwsAccount,
  { name, stack, values }: { readonly name: string; readonly stack: Stack; readonly values: Texts },
  pause: Pause,
): Promise<void> {
  const parameters = Object.keys({ ...stack.parameters, ...values }).flatMap((key, index) => {
    const at = `Parameters.member.${index + 1}`
    const value = values[key]
    return [
      [`${at}.ParameterKey`, key],
      value === undefined ? [`${at}.UsePreviousValue`, 'true'] : [`${at}.ParameterValue`, value],
    ]
  })
  try {
    await askCloudFormation(account, {
      Action: 'UpdateStack',
      StackName: name,
      UsePreviousTemplate: 'true',
      'Capabilities.member.1': 'CAPABILITY_IAM',
      'Capabilities.member.2': 'CAPABILITY_NAMED_IAM',
      ...Object.fromEntries(parameters),
    })
  } catch (cause) {
    if (cause instanceof ServiceError && cause.message.includes('No updates are to be')) return
    throw cause
  }
  const { status } = await awaitStack(account, name, pause)
  if (status !== 'UPDATE_COMPLETE') throw new Error(`${name}: the update ended as ${status}`)
}

function askCloudFormation(account: AwsAccount, form: Texts): Promise<string> {
  return account.ask(toQueryRequest('cloudformation', { Version: '2010-05-15', ...form }))
}

function parseStack(xml: string): Stack {
  const status = readElement(xml, 'StackStatus')
  if (status === undefined) throw new Error('cloudformation: its answer has no StackStatus')
  return {
    status,
    parameters: readPairs(xml, 'ParameterKey', 'ParameterValue'),
    outputs: readPairs(xml, 'OutputKey', 'OutputValue'),
  }
}

/** Reads the pairs of a list whose members have no members of their own, in either order. */
function readPairs(xml: string, keyName: string, valueName: string): Texts {
  const pairs = xml.split('<member>').flatMap((member) => {
    const key = readElement(member, keyName)
    // An empty value may be written as an empty element.
    return key === undefined ? [] : [[key, readElement(member, valueName) ?? '']]
  })
  return Object.fromEntries(pairs)
}

/** Returns the text of the first element of this name that has some. */
export function readElement(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text === undefined ? undefined : decodeXml(text)
}

const ENTITIES: Texts = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' }

export function decodeXml(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return ENTITIES[name] ?? whole
  })
}
