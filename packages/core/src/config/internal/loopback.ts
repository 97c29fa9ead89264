/** Classifies hosts: this machine, private network, or public internet. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const isLoopback = ({ hostname }: URL): boolean => loopback.test(hostname)

const machine4 = ["0.0.0.0/8", "127.0.0.0/8"]

/** IPv4 blocks that are not globally reachable (IANA special-purpose registry), and multicast. */
const network4 = [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3"
]

/** IPv6 global unicast blocks that are not globally reachable: IETF protocols such as Teredo, and documentation. */
const network6 = [/^2001:1?[0-9a-f]{1,2}:/, /^2001:db8:/, /^3fff:[0-9a-f]{1,3}:/]

const numberOf = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)

const isIn = (address: string, blocks: ReadonlyArray<string>): boolean =>
  blocks.some((block) => {
    const [start = "", bits = ""] = block.split("/")
    const size = 2 ** (32 - Number(bits))
    return Math.floor(numberOf(address) / size) === Math.floor(numberOf(start) / size)
  })

type Reach = "machine" | "network" | "world"

const reachOf4 = (address: string): Reach =>
  isIn(address, machine4) ? "machine" : isIn(address, network4) ? "network" : "world"

/** The eight groups of an IPv6 address in the format of `URL`. */
const groupsOf = (address: string): ReadonlyArray<string> => {
  const [before = [], after = []] = address.split("::").map((half) => half === "" ? [] : half.split(":"))
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => "0"), ...after]
}

const embedded = (high = "", low = ""): string => {
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`
}

/**
 * Embedded IPv4 addresses determine the reach: compatible and mapped (RFC 4291), translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056). Other
 * addresses are public only in global unicast (2000::/3).
 */
const reachOf6 = (address: string): Reach => {
  const groups = groupsOf(address)
  const written = groups.join(":")
  if (/^(0:){7}1$/.test(written)) return "machine"
  if (/^((0:){6}|(0:){5}ffff:|(0:){4}ffff:0:|64:ff9b:(0:){4})/.test(written)) {
    return reachOf4(embedded(groups[6], groups[7]))
  }
  if (written.startsWith("2002:")) return reachOf4(embedded(groups[1], groups[2]))
  return /^[23][0-9a-f]{3}:/.test(written) && !network6.some((block) => block.test(written)) ? "world" : "network"
}

/** The reach of a URL's host, without a DNS lookup. */
export const reachOf = ({ hostname }: URL): Reach => {
  const host = hostname.replace(/\.$/, "")
  if (host.startsWith("[")) return reachOf6(host.slice(1, -1))
  if (/^\d+(\.\d+){3}$/.test(host)) return reachOf4(host)
  return /^(.*\.)?localhost$/.test(host) ? "machine" : "world"
}
