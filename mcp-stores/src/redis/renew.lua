redis.call('HSET', KEYS[1] .. 'leases', ARGV[1], ARGV[2])
local time = math.max(redis.call('GET', KEYS[1] .. 'time') or 0, ARGV[3])
redis.call('SET', KEYS[1] .. 'time', time)
local leases = redis.call('HGETALL', KEYS[1] .. 'leases')
return {time, leases, redis.call('SMEMBERS', KEYS[1] .. 'runners')}
