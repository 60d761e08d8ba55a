local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + ARGV[1]
local missing = full - now - ARGV[1] * ARGV[2]
if missing > 0 then return math.ceil(missing) end
redis.call('SET', KEYS[1], full, 'PX', math.ceil((full - now) / 1000))
return 0
