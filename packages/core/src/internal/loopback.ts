/** Hosts that only this machine reaches. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether an address leads to this machine. */
export const isLoopback = ({ hostname }: URL): boolean => loopback.test(hostname)

/** Addresses of IPv4 that only this machine, or only a network around it, reaches (RFC 6890). */
const machine4 = /^(0|127)\./
const network4 = /^(10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./

/** An address of IPv4 that is written as one of IPv6, as `URL` has it. */
const mapped = (hostname: string): string => {
  const [, high = "", low = ""] = /^\[::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? []
  const [a, b] = [high, low].map((group) => Number.parseInt(group, 16))
  return a === undefined || b === undefined || Number.isNaN(a) || Number.isNaN(b)
    ? hostname
    : `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`
}

/** Who can reach the host of an address, as far as that is seen without asking for its name. */
export const reachOf = ({ hostname }: URL): "machine" | "network" | "world" => {
  const host = mapped(hostname.replace(/\.$/, ""))
  const isIpv4 = /^\d+(\.\d+){3}$/.test(host)
  return isIpv4 && machine4.test(host) || /^((.*\.)?localhost|\[::1?\])$/.test(host)
    ? "machine"
    : isIpv4 && network4.test(host) || /^\[(f[cd]|fe[89ab])/.test(host)
    ? "network"
    : "world"
}
