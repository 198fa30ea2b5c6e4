/**
 * Hosts of AWS whose requests are answered by what a customer put there, by the labels before the
 * region and the service that signs. The rest of the name is AWS's.
 */
export const CUSTOMER_HOSTS: readonly { readonly labels: string; readonly service: string }[] = [
  { labels: 'execute-api', service: 'execute-api' },
  { labels: 'appsync-api', service: 'appsync' },
  { labels: 'gateway.bedrock-agentcore', service: 'bedrock-agentcore' },
  { labels: 'lambda-url', service: 'lambda' },
  { labels: 'vpc-lattice-svcs', service: 'vpc-lattice-svcs' },
]

/**
 * True for a host that only a customer's own API answers, so that a stage may let the gateway sign
 * for it as itself. At the endpoint of a service, that identity could reach the gateway's tables.
 */
export function isCustomerHost(host: string): boolean {
  return CUSTOMER_HOSTS.some(({ labels }) => host.includes(`.${labels}.`))
}
