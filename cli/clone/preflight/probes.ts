/** Asks what the account lets a deploy do, by requests that change nothing. */
import { NO_FUNCTION } from '../../../lib/pipeline-roles.ts'
import { type AwsAccount, ServiceError } from '../../aws/ask-service.ts'

type Ask = AwsAccount['ask']

/** The place where `cdk bootstrap` writes its version, for the qualifier that the CDK has unless told. */
const BOOTSTRAP_PARAMETER = '/cdk-bootstrap/hnb659fds/version'

/** Returns the version of the bootstrap stack, 0 if the account and region have none. */
export async function readBootstrapVersion(ask: Ask): Promise<number> {
  try {
    const answer = await ask({
      service: 'ssm',
      path: '/',
      body: JSON.stringify({ Name: BOOTSTRAP_PARAMETER }),
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AmazonSSM.GetParameter',
      },
    })
    const parameter: unknown = Reflect.get(Object(JSON.parse(answer)), 'Parameter')
    const version = Number(Reflect.get(Object(parameter), 'Value'))
    if (Number.isInteger(version)) return version
    throw new Error(`ssm: ${BOOTSTRAP_PARAMETER} is not a version`)
  } catch (cause) {
    if (cause instanceof ServiceError && cause.code === 'ParameterNotFound') return 0
    throw cause
  }
}

/**
 * A refusal that says nothing about the deploy, which acts by a role of the CDK: the caller's own
 * policies do not mention the action.
 */
const OF_THE_CALLER =
  /because no (?:identity-based policy|session policy|permissions boundary) allows/

/**
 * Asks for a public URL of a function that does not exist. Lambda looks at policies first, so
 * "not found" means that public URLs are allowed. Returns the reason of a denial, undefined if
 * there is none. Throws an Error if that cannot be learned.
 */
export async function probePublicUrls(ask: Ask): Promise<string | undefined> {
  const path = `/2021-10-31/functions/${NO_FUNCTION}/url`
  const headers = { 'content-type': 'application/json' }
  try {
    await ask({ service: 'lambda', path, body: '{"AuthType":"NONE"}', headers })
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    if (cause.code === 'ResourceNotFoundException') return undefined
    const isDenial = /^AccessDenied/.test(cause.code ?? '') && !OF_THE_CALLER.test(cause.message)
    if (isDenial) return cause.message.replaceAll(/\s+/g, ' ')
    throw cause
  }
  throw new Error(
    `lambda: there is a function ${NO_FUNCTION}, which now has a public URL; remove it`,
  )
}
