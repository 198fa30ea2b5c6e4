/** Reads where the function caller is, which reaches private hosts; ADR 0121. */
import { describeRule } from '../../core/settings/read-setting.ts'
import { FUNCTION_SETTINGS } from '../../core/settings/table.ts'
import { makeAwsHost } from '../aws/partition.ts'
import type { Config, SigningConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'

/** Replaces a region that was refused, since a URL is made from it. */
const PLACEHOLDER_REGION = 'invalid'

/** Undefined for a stage without private hosts. */
export function readCallerFunction(from: EnvReader, signing: SigningConfig): Config['caller'] {
  if (from.setting('privateHosts').length === 0) return undefined
  const functionArn = from.variable('CALLER_FUNCTION') ?? ''
  if (functionArn === '') {
    const rule = describeRule(FUNCTION_SETTINGS.CALLER_FUNCTION, 'function')
    from.refuse(`CALLER_FUNCTION: is missing, and PRIVATE_HOSTS is set; give ${rule}`)
  }
  return { functionArn, endpoint: readEndpoint(from, signing.region), ...signing }
}

function readEndpoint(from: EnvReader, region: string): URL {
  const given = from.variable('AWS_ENDPOINT_URL_LAMBDA') ?? from.variable('AWS_ENDPOINT_URL')
  const own = new URL(`https://${makeAwsHost('lambda', region || PLACEHOLDER_REGION)}`)
  return (given === undefined ? null : URL.parse(given)) ?? own
}
